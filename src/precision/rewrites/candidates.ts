import { isFloat } from '../../tensors/tensor/index.js'
import { cubicRules } from './cubicRules.js'
import { differenceRules } from './differenceRules.js'
import { lettersBeside, readsOf, textOf } from './expression.js'
import type { Form, RewriteRule } from './form.js'
import type { Graph } from './graph.js'
import { logRules } from './logRules.js'
import { momentRules } from './momentRules.js'
import { saturationRules } from './saturationRules.js'
import { sumRules } from './sumRules.js'
import { wholeRules } from './wholeRules.js'

/** One way to write one line: in a loop, of every step that it ran. */
export interface Candidate {
  readonly site: string | undefined
  /** By step. */
  readonly forms: ReadonlyMap<number, Form>
}

/** Simple forms before those that need a wider dtype. */
const rules: readonly RewriteRule[] = [
  ...logRules,
  ...saturationRules,
  ...differenceRules,
  ...cubicRules,
  ...momentRules,
  ...wholeRules,
  ...sumRules,
]

/** Candidates that are tried: a program with more lines than this that match is cut. */
const most = 200

/** The possible rewrites of a program by source line, with the current and the new form. */
export function candidatesOf(graph: Graph): Candidate[] {
  const found = new Map<string, { site: string | undefined; forms: Map<number, Form> }>()
  for (const [i, { output, site }] of graph.program.steps.entries()) {
    if (!isFloat(output.dtype)) continue
    for (const form of rules.flatMap((rule) => rule(graph, i))) {
      const key = `${form.from ?? ''} ${patternOf(form)} ${site ?? i}`
      const known = found.get(key)
      if (known) known.forms.set(i, form)
      else found.set(key, { site, forms: new Map([[i, form]]) })
    }
  }
  return [...found.values()].slice(0, most)
}

/** What forms of one pattern have in common: their text, whatever they read. */
function patternOf({ to }: Form): string {
  const reads = readsOf(to)
  return textOf(to, (operand) => `#${reads.indexOf(operand)}`, lettersBeside(new Set()))
}
