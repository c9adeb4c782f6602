import { checkInteger, checkOptions, noOptions, type OptionTable } from '../../options/index.js'
import { slice } from '../layout/slice.js'
import { lanesOf, placeIn } from '../reductions/lanes.js'
import { apply } from '../storage/apply.js'
import { type DType, numbersOf } from '../storage/dtype.js'
import { normalizeAxis } from '../storage/shape.js'
import { type KnownOp, Tensor } from '../storage/tensor.js'
import { takeAlongAxis } from './takeAlongAxis.js'

/** Options of sort and argsort. */
export interface SortOptions {
  /** Default: the last. */
  readonly axis?: number
  /** Largest first. Default false. */
  readonly descending?: boolean
}

/** What argsort is told: an axis counted from the front. */
export interface Sorting {
  readonly axis: number
  readonly descending: boolean
}

const names: OptionTable<SortOptions> = { axis: 'optional', descending: 'optional' }

/** NaN above all, +0 and -0 alike. */
function compare(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b))
  return a < b ? -1 : a > b ? 1 : 0
}

/** The record of `argsort`: stable, so equal elements keep their order, also where it descends; int32 places. */
export const argsortOp: KnownOp<Sorting> = {
  name: 'argsort',
  form: 'whole',
  rounds: 'decides',
  kernel: ([x], { axis, descending }) => {
    const values = numbersOf(x!.dtype, x!.data)
    const lanes = lanesOf(x!.shape, [axis])
    const sign = descending ? -1 : 1
    const data = new Int32Array(x!.size)
    const places = Array.from({ length: lanes.length }, (_, i) => placeIn(lanes, i))
    for (const start of lanes.starts) {
      const order = Int32Array.from(places.keys())
      order.sort((i, j) => sign * compare(values[start + places[i]!]!, values[start + places[j]!]!) || i - j)
      for (const [i, place] of places.entries()) data[start + place] = order[i]!
    }
    return new Tensor('int32', x!.shape, data)
  },
}

/**
 * The positions along an axis that sort it, as int32: equal elements stay in their order, -0 equals +0, NaN is above all.
 *
 * @example argsort(tensor([3, 1, 2])).toNested() // [1,2,0]
 * @example argsort(tensor([3, 1, 3]), { descending: true }).toNested() // [0,2,1]
 */
export function argsort(x: Tensor, options: SortOptions = noOptions): Tensor<'int32'> {
  checkOptions('argsort', options, names, { positional: 'axis' })
  const { axis = -1, descending = false } = options
  return apply(argsortOp, [x], {
    axis: normalizeAxis('argsort', axis, x.rank),
    descending,
  }) as Tensor<'int32'>
}

/**
 * x sorted along an axis, by `argsort`.
 *
 * @example sort(tensor([3, NaN, 1])).toNested() // [1,3,NaN]
 */
export function sort<D extends DType>(x: Tensor<D>, options: SortOptions = noOptions): Tensor<D> {
  checkOptions('sort', options, names, { positional: 'axis' })
  const { axis = -1 } = options
  return takeAlongAxis(x, argsort(x, options), { axis })
}

/** Options of topK. */
export interface TopKOptions {
  /** Default: the last. */
  readonly axis?: number
}

const topNames: OptionTable<TopKOptions> = { axis: 'optional' }

/**
 * The k largest elements along an axis, largest first, and where they are: of equal ones the first.
 *
 * @example topK(tensor([1, 5, 3]), 2).values.toNested() // [5,3]
 * @example topK(tensor([1, 5, 3]), 2).indices.toNested() // [1,2]
 */
export function topK<D extends DType>(
  x: Tensor<D>,
  k: number,
  options: TopKOptions = noOptions,
): { readonly values: Tensor<D>; readonly indices: Tensor<'int32'> } {
  checkOptions('topK', options, topNames, { positional: 'axis' })
  const axis = normalizeAxis('topK', options.axis ?? -1, x.rank)
  checkInteger('topK', 'k', k, 0, x.shape[axis])
  const before = x.shape.slice(0, axis).map(() => null)
  const indices = slice(argsort(x, { axis, descending: true }), [...before, [0, k]])
  return { values: takeAlongAxis(x, indices, { axis }), indices }
}
