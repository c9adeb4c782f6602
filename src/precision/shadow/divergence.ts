import { dtypeFacts, isFloat, lanesRead } from '../../tensors/tensor/index.js'
import { extremumTieOf } from '../program/extremumTie.js'
import { type Program, recorded } from '../program/program.js'
import { bitsBetween } from '../reals/bitsBetween.js'
import type { ReferenceRun } from '../replay/reference.js'
import { numbers } from './elementErrors.js'

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
  /** Which tie it is about, if numbers were compared with their own maximum or minimum. */
  readonly tie?: Tie
}

/** Numbers that are the maximum (or minimum) together in the run, and are not in the reference; or the other way. */
export interface Tie {
  /** Number of the step that is the maximum or minimum. */
  readonly step: number
  /** The elements that tie in either, row-major. */
  readonly elements: readonly number[]
  readonly computed: readonly number[]
  readonly reference: readonly number[]
}

/** The decisions that came out differently. */
export function divergencesOf<W>(
  program: Program,
  { decisions, valueOf }: Pick<ReferenceRun<W>, 'decisions' | 'valueOf'>,
): Divergence[] {
  return [...decisions].flatMap(([step, decision]) => {
    const [own, other] = [program.steps[step]!.output.toNumbers(), decision.toNumbers()]
    const places = [...own.keys()].filter((i) => !Object.is(own[i]! + 0, other[i]! + 0))
    const [element] = places
    if (element === undefined) return []
    const found = { step, count: places.length, element, computed: own[element]!, reference: other[element]! }
    const compared = extremumTieOf(program, program.steps[step]!)
    if (!compared) return [found]
    const x = recorded(program, compared.of)
    const { length, at } = lanesRead(x.shape, compared.axes)
    const lane = Math.floor(at.indexOf(element) / length)
    const elements = [...at.subarray(lane * length, (lane + 1) * length)].filter((i) => own[i] || other[i])
    const [computed, exact] = [x.toNumbers(), numbers(valueOf(compared.of))]
    const values = { computed: elements.map((i) => computed[i]!), reference: elements.map((i) => exact[i]!) }
    return [{ ...found, tie: { step: compared.extremum, elements, ...values } }]
  })
}

/** Bits from which on two references are two: a fiftieth of what a report shows. */
const apart = 2 ** -13

/**
 * By step, which elements depend on such a decision: errors there compare two different programs. An element that comes out
 * the same by the reference's own decisions (`free`) does not depend on them: a tie may be shared out in any way if there is
 * nothing to share.
 */
export function taintedElements<W>(
  program: Program,
  followed: ReferenceRun<W>,
  free: ReferenceRun<W>,
): Map<number, Uint8Array> {
  const n = program.inputs.length
  const tainted = new Map<number, Uint8Array>()
  for (const [i, { output }] of program.steps.entries()) {
    const { dtype, size } = output
    const [one, other] = [followed.valueOf(n + i), free.valueOf(n + i)]
    const flags = new Uint8Array(size)
    if (isFloat(dtype)) {
      const bits = bitsBetween(one, other, dtypeFacts(dtype))
      for (let k = 0; k < size; k++) flags[k] = bits(k) <= apart ? 0 : 1
    } else {
      const [a, b] = [numbers(one), numbers(other)]
      for (let k = 0; k < size; k++) flags[k] = a[k] === b[k] ? 0 : 1
    }
    if (flags.includes(1)) tainted.set(i, flags)
  }
  return tainted
}
