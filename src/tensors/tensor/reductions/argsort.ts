import { checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { apply } from '../storage/apply.js'
import { checkTensor } from '../storage/checkCall.js'
import { numbersOf } from '../storage/dtype.js'
import { normalizeAxis } from '../storage/shape.js'
import { type KnownOp, Tensor } from '../storage/tensor.js'
import { laneOf, lanesOf, laneTable, placeIn } from './lanes.js'

/** Options of sort and argsort. */
export interface SortOptions {
  /** Default: the last. */
  readonly axis?: number
  /** Largest first. Default false. */
  readonly descending?: boolean
}

/** The attributes of argsort: an axis counted from the front. */
export interface Sorting {
  readonly axis: number
  readonly descending: boolean
}

/** The options that argsort and sort know. */
export const sortNames: OptionTable<SortOptions> = { axis: 'optional', descending: 'optional' }

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
  reads: ({ axis }, [shape]) => {
    const lanes = lanesOf(shape!, [axis])
    const lane = laneOf(shape!, axis)
    const { length } = lanes
    return [{ at: laneTable(lanes), from: (element) => lane(element) * length, count: () => length }]
  },
}

/**
 * The positions along an axis that sort it, as int32: equal elements stay in their order, -0 equals +0, NaN is above all.
 *
 * @example argsort(tensor([3, 1, 2])).toNested() // [1,2,0]
 * @example argsort(tensor([3, 1, 3]), { descending: true }).toNested() // [0,2,1]
 */
export function argsort(x: Tensor, options: SortOptions = noOptions): Tensor<'int32'> {
  checkTensor('argsort', x)
  checkOptions('argsort', options, sortNames, { positional: 'axis' })
  const { axis = -1, descending = false } = options
  return apply(argsortOp, [x], {
    axis: normalizeAxis('argsort', axis, x.rank),
    descending,
  }) as Tensor<'int32'>
}
