import type { Program } from '../program/program.js'
import { Graph } from '../rewrites/graph.js'
import { wholeRules } from '../rewrites/wholeRules.js'

/** The steps that are parts of these functions, as the patterns of rewrites find them: `softmax`, `logSoftmax`, `layerNorm`. */
export function composedSteps(program: Program, functions: readonly string[]): ReadonlySet<number> {
  const parts = new Set<number>()
  if (functions.length === 0) return parts
  const graph = new Graph(program)
  const n = program.inputs.length
  for (const i of program.steps.keys()) {
    for (const { to, reads } of wholeRules.flatMap((rule) => rule(graph, i))) {
      if (!functions.some((name) => to.startsWith(`${name}(`))) continue
      const ends = new Set(reads.map((operand) => graph.bare(operand)))
      const open = [i]
      for (let at = open.pop(); at !== undefined; at = open.pop()) {
        if (parts.has(at)) continue
        parts.add(at)
        for (const operand of program.steps[at]!.operands) {
          if (typeof operand === 'number' && operand >= n && !ends.has(operand)) open.push(operand - n)
        }
      }
    }
  }
  return parts
}
