import { concat, reshape, slice } from '../../../tensors/tensor/index.js'
import { flag, integer, integers, region } from '../values/attributes.js'
import type { Lowering } from '../values/lowering.js'
import { eachPart, eachPartOf, shapeOf, type Value } from '../values/value.js'

/**
 * `chlo.scan`: the body goes along an axis of the inputs, with carried values; what it gives at each place is put together along that
 * axis, from the last place on where `is_reverse` says so.
 */
export const scan: Lowering = (op, context) => {
  const [count = 1] = integers(op, 'operandSegmentSizes', [1, op.operands.length - 1])
  const axis = integer(op, 'dimension')
  const isReverse = flag(op, 'is_reverse', false)
  const body = context.region(region(op))
  return (values, frame) => {
    const inputs = values.slice(0, count)
    const carries = values.length - count
    let carried = values.slice(count)
    const length = shapeOf(inputs[0])[axis]
    if (length === undefined) throw new RangeError(`scans an axis that is not there [${axis}]`)
    if (length === 0) throw new RangeError(`scans an axis of no elements [${axis}]`)
    const given: (readonly Value[])[] = []
    for (let step = 0; step < length; step++) {
      const at = isReverse ? length - 1 - step : step
      const own = inputs.map((value) =>
        eachPart(value, (x) => slice(x, [...x.shape.slice(0, axis).map(() => null), at])),
      )
      const results = body([...own, ...carried], frame)
      given[at] = results.slice(0, results.length - carries)
      carried = results.slice(results.length - carries)
    }
    const stacked = given[0]!.map((_, k) =>
      eachPartOf(
        given.map((each) => each[k]),
        (xs) =>
          concat(
            xs.map((x) => reshape(x, [...x.shape.slice(0, axis), 1, ...x.shape.slice(axis)])),
            { axis },
          ),
      ),
    )
    return [...stacked, ...carried]
  }
}
