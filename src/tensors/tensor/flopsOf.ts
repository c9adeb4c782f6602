import { checkArray, checkRecord } from '../../base/options/index.js'
import { formOf, roundsOf } from './storage/op.js'
import { type Shape, sizeOf } from './storage/shape.js'
import type { Op } from './storage/tensor.js'
import type { Work } from './storage/timing.js'

/**
 * How many multiplications, additions, functions and comparisons of elements an operation does: 2 m k n for a product, one for
 * each element that an elementwise one gives or a sum reads, none where elements are only moved. What says of itself does.
 *
 * Shape     `shapes` those of the operands, `output` that of the result.
 *
 * @example flopsOf(ops.matmul, {}, [[2, 3], [3, 4]], [2, 4]) // 48
 * @example flopsOf(ops.sum, {}, [[2, 3]], [2]) // 6
 * @example flopsOf(ops.transpose, {}, [[2, 3]], [3, 2]) // 0
 */
export function flopsOf(op: Op, attributes: unknown, shapes: readonly Shape[], output: Shape): number {
  checkRecord('flopsOf', 'op', op, ['kernel'])
  checkArray('flopsOf', 'shapes', shapes)
  for (const shape of shapes) checkArray('flopsOf', 'a shape', shape)
  checkArray('flopsOf', 'output', output)
  if (op.flops) return op.flops(attributes, shapes, output)
  if (roundsOf(op) === 'never') return 0
  switch (formOf(op)) {
    case 'elementwise':
      return sizeOf(output)
    case 'dot':
      return 2 * sizeOf(output) * (shapes[0]?.at(-1) ?? 0)
    default:
      return shapes.reduce((total, shape) => total + sizeOf(shape), 0)
  }
}

/** The sizes of a matrix product, done `count` times; undefined for other operations. What says of itself does, by its attributes. */
export function productOf(
  op: Op,
  shapes: readonly Shape[],
  output: Shape,
  attributes?: unknown,
): Work['product'] {
  checkRecord('productOf', 'op', op, ['kernel'])
  checkArray('productOf', 'shapes', shapes)
  for (const shape of shapes) checkArray('productOf', 'a shape', shape)
  checkArray('productOf', 'output', output)
  if (op.product) return op.product(attributes, shapes, output)
  const [a, b] = shapes
  if (formOf(op) !== 'dot' || !a || !b) return undefined
  const [m, k] = [a.length > 1 ? a.at(-2)! : 1, a.at(-1)!]
  const n = b.length > 1 ? b.at(-1)! : 1
  return { m, k, n, count: m * n === 0 ? 0 : sizeOf(output) / (m * n) }
}
