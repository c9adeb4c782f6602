import {
  type AccumulateOptions,
  cast,
  type FloatDType,
  reshape,
  sum,
  type Tensor,
  wideDType,
} from '../../tensor/index.js'

/**
 * How a gradient adds where the forward pass repeated an element: along the axes of a broadcast, and for an element
 * that `take` read more than once. Default: float32 (float64 for float64), sequential.
 */
export type SumOptions = AccumulateOptions

/** The options of a sum over `x` inside a gradient, complete. */
export function howToSum(x: Tensor, { order = 'sequential', accumulate }: SumOptions): Required<SumOptions> {
  return { order, accumulate: accumulate ?? wideDType(x.dtype) }
}

/**
 * The cotangent of an operand of `shape` from that of the broadcast result: the sum over every axis that was repeated.
 *
 * Rounding  one axis: additions in `accumulate` and `order`, once to the dtype of g. Several: axis by axis from the last
 *           (rows first, then the rows' totals), all in `accumulate`, once to the dtype of g at the end.
 */
export function unbroadcast(g: Tensor, shape: readonly number[], options: SumOptions): Tensor {
  const lead = g.rank - shape.length
  const axes: number[] = []
  for (let axis = g.rank - 1; axis >= 0; axis--) {
    if (g.shape[axis] !== (axis < lead ? 1 : shape[axis - lead])) axes.push(axis)
  }
  const summed = axes.length === 0 ? g : sumAxes(g, axes, howToSum(g, options))
  return lead === 0 ? summed : reshape(summed, shape)
}

function sumAxes(g: Tensor, axes: readonly number[], how: Required<SumOptions>): Tensor {
  if (axes.length === 1) return sum(g, { ...how, axis: axes[0]!, keepDims: true })
  const wide: FloatDType = how.accumulate
  let total: Tensor = cast(g, wide)
  for (const axis of axes) total = sum(total, { ...how, axis, keepDims: true })
  return cast(total, g.dtype)
}
