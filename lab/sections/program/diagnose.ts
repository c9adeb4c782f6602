import { certify, type ErrorGroup, shadow, suggestRewrites, tune } from 'tpu-toolkit/precision'
import type { Tensor } from 'tpu-toolkit/tensor'
import type { Tree } from 'tpu-toolkit/tree'
import { fixed } from '../../parts/fixed.js'
import type { Diagnosis, LineNote } from './programMessages.js'
import { tunedText } from './tunedText.js'

type Exports = Readonly<Record<string, unknown>>

/**
 * What the doctor finds of a program that exports `f`, a function of a tree of tensors, and `inputs`; the least set to keep wide
 * where it exports a `target` too.
 *
 * Throws    RangeError that says what is not exported.
 */
export async function diagnose(exports: Exports): Promise<Diagnosis> {
  const f = exports['f'] ?? exports['default']
  if (typeof f !== 'function') {
    throw new RangeError(
      `doctor: the program does not export f, a function of tensors [${Object.keys(exports).join(', ')}]`,
    )
  }
  const given = exports['inputs']
  if (given === undefined) {
    throw new RangeError(
      `doctor: the program does not export inputs, which f is run on [${Object.keys(exports).join(', ')}]`,
    )
  }
  const inputs = (typeof given === 'function' ? await given() : given) as Tree
  const run = f as (inputs: Tree) => Tree
  const shadowed = shadow(run, inputs)
  const { bounds, open } = certify(run, inputs)
  const { target } = exports
  return {
    report: shadowed.report(),
    lines: linesOf(shadowed.groups()),
    certified: bounds.map((bound: Tensor<'float64'>, i) => ({
      output: String(i),
      bound: bound.toNumbers().reduce((most, value) => Math.max(most, value), 0),
      open: open.length,
    })),
    rewrites: String(suggestRewrites(run, inputs)),
    tuned:
      target === undefined
        ? null
        : tunedText(tune(run, inputs, { target: target as { readonly meanBits: number } })),
  }
}

/** What is known by line of the program, the lines that cost most first. */
function linesOf(groups: readonly ErrorGroup[]): LineNote[] {
  const notes = new Map<number, { share: number | null; names: string[] }>()
  for (const { site, name, share, gain } of groups) {
    const line = Number(/:(\d+):\d+$/.exec(site ?? '')?.[1])
    if (!Number.isInteger(line)) continue
    const note = notes.get(line) ?? { share: null, names: [] }
    if (share !== undefined) note.share = (note.share ?? 0) + share
    note.names.push(gain === undefined ? name : `${name}: without its rounding ${fixed(gain, 1)} bits more`)
    notes.set(line, note)
  }
  return [...notes]
    .map(([line, { share, names }]) => ({ line, share, text: names.join('; ') }))
    .sort((a, b) => Math.abs(b.share ?? 0) - Math.abs(a.share ?? 0))
}
