import { concat, full, reshape, type Tensor, zeros } from '../../tensor/index.js'
import { replaceTensors } from '../graph/leaves.js'
import type { Treelike } from '../graph/treelike.js'
import { partOf } from '../rules/part.js'
import { scan } from './scan.js'

/** Cotangents or tangents: undefined where there is none, which is no zero, since 0 times infinity is NaN and 0 times -1 is -0. */
export type Partial = readonly (Tensor | undefined)[]

interface Steps {
  readonly length: number
  readonly reverse: boolean
  /**
   * Whether a carried value that is absent may be a negative zero instead, beside these that are there: where a step adds
   * something to it before anything else, which then is as it was.
   */
  readonly isAddedTo?: (place: number, carry: Partial) => boolean
}

/**
 * `scan` with carried values and results that may be absent; a result of some steps has zeros for the others. A step that
 * changes which ones are there is done by itself: usually the first one, if any. A body that never settles, such as one that
 * exchanges two values, is written out.
 */
export function scanPartial<X extends Treelike>(
  step: (carry: Partial, x: X) => readonly [carry: Partial, results: Partial],
  init: Partial,
  xs: X,
  { length, reverse, isAddedTo }: Steps,
): [carry: Partial, results: Partial] {
  let carry = init
  /** Results of consecutive steps, in the order of the rows. */
  const pieces: { readonly steps: number; readonly results: Partial }[] = []
  for (let left = length; left > 0; ) {
    const first = reverse ? 0 : length - left
    const at = reverse ? left - 1 : first
    const row = replaceTensors(xs, (x) => reshape(partOf(x, at, at + 1), x.shape.slice(1)))
    const [next, results] = step(carry, row)
    const started = carry.map((x, i) =>
      !x && next[i] && isAddedTo?.(i, carry) ? full(next[i].shape, -0, { dtype: next[i].dtype }) : x,
    )
    const settled = left > 1 && next.every((x, i) => !x === !started[i])
    const piece = settled
      ? many(
          step,
          started,
          replaceTensors(xs, (x) => (left === length ? x : partOf(x, first, first + left))),
          { length: left, reverse },
        )
      : { carry: next, results: results.map((x) => x && reshape(x, [1, ...x.shape])) }
    const steps = settled ? left : 1
    carry = piece.carry
    left -= steps
    pieces[reverse ? 'unshift' : 'push']({ steps, results: piece.results })
  }
  const stacked = (pieces[0]?.results ?? []).map((_, k): Tensor | undefined => {
    const known = pieces.find(({ results }) => results[k])?.results[k]
    if (!known || pieces.length === 1) return known
    const [, ...shape] = known.shape
    const none = (steps: number): Tensor => zeros([steps, ...shape], { dtype: known.dtype })
    return concat(pieces.map(({ steps, results }) => results[k] ?? none(steps)))
  })
  return [carry, stacked]
}

/** Steps that read and give the same of the carried values. */
function many<X extends Treelike>(
  step: (carry: Partial, x: X) => readonly [carry: Partial, results: Partial],
  init: Partial,
  xs: X,
  steps: Steps,
): { readonly carry: Partial; readonly results: Partial } {
  const places = init.flatMap((x, i) => (x ? [i] : []))
  const spread = (values: readonly Tensor[], at: readonly number[], count: number): Partial =>
    Array.from({ length: count }, (_, i) => values[at.indexOf(i)])
  let given: readonly number[] = []
  let count = 0
  const [carry, results] = scan(
    (carried: readonly Tensor[], row: X): [Tensor[], Tensor[]] => {
      const [next, gave] = step(spread(carried, places, init.length), row)
      given = gave.flatMap((x, k) => (x ? [k] : []))
      count = gave.length
      return [places.map((i) => next[i]!), given.map((k) => gave[k]!)]
    },
    places.map((i) => init[i]!),
    xs,
    { length: steps.length, reverse: steps.reverse },
  )
  return { carry: spread(carry, places, init.length), results: spread(results, given, count) }
}
