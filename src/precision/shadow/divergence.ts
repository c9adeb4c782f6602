import { reads, type Tensor } from '../../tensor/index.js'
import { type Program, recorded, type Step } from '../program/program.js'

/** A decision that the reference would have taken differently: a comparison, a floor, an argmax. */
export interface Divergence {
  /** Number of the step. */
  readonly step: number
  /** In how many elements. */
  readonly count: number
  /** The first of them, row-major. */
  readonly element: number
  /** What the run decided there. */
  readonly computed: number
  /** What the reference would have decided. */
  readonly reference: number
}

/** The decisions that came out differently. */
export function divergencesOf(program: Program, decisions: ReadonlyMap<number, Tensor>): Divergence[] {
  return [...decisions].flatMap(([step, decision]) => {
    const [own, other] = [program.steps[step]!.output.toNumbers(), decision.toNumbers()]
    const places = [...own.keys()].filter((i) => !Object.is(own[i]! + 0, other[i]! + 0))
    const [element] = places
    if (element === undefined) return []
    return [{ step, count: places.length, element, computed: own[element]!, reference: other[element]! }]
  })
}

/** By step, which elements depend on such a decision: errors there compare two different programs. */
export function taintedElements(
  program: Program,
  decisions: ReadonlyMap<number, Tensor>,
  divergences: readonly Divergence[],
): Map<number, Uint8Array> {
  const tainted = new Map<number, Uint8Array>()
  if (divergences.length === 0) return tainted
  const n = program.inputs.length
  for (const [i, step] of program.steps.entries()) {
    const masks = step.operands.map((operand) =>
      typeof operand === 'number' ? tainted.get(operand - n) : undefined,
    )
    const mask = masks.some(Boolean) ? spread(program, step, masks) : undefined
    const own = divergences.some((divergence) => divergence.step === i)
    const merged = own ? differing(step.output, decisions.get(i)!, mask) : mask
    if (merged?.some((flag) => flag === 1)) tainted.set(i, merged)
  }
  return tainted
}

function differing(a: Tensor, b: Tensor, mask: Uint8Array | undefined): Uint8Array {
  const [x, y] = [a.toNumbers(), b.toNumbers()]
  return Uint8Array.from(x, (value, i) => (mask?.[i] || !Object.is(value + 0, y[i]! + 0) ? 1 : 0))
}

/** Which results read a flagged element. */
function spread(program: Program, step: Step, masks: readonly (Uint8Array | undefined)[]): Uint8Array {
  const { op, attributes, output } = step
  const shapes = step.operands.map((operand) => recorded(program, operand).shape)
  const result = new Uint8Array(output.size)
  for (const [k, { at, from, count }] of reads(op, attributes, shapes, output.shape).entries()) {
    const mask = masks[k]
    if (!mask) continue
    for (let i = 0; i < result.length; i++) {
      const first = from(i)
      for (let place = first; place < first + count(i) && result[i] === 0; place++)
        if (mask[at?.[place] ?? place]) result[i] = 1
    }
  }
  return result
}
