import { checkTensor, type DType, dtypeFacts, full, Tensor, tensor } from '../tensors/tensor/index.js'
import { checkShapes } from './checkShapes.js'
import { sameNumber } from './sameNumber.js'
import { checkFloats } from './wide.js'

/**
 * How many ulps of their dtype lie between the elements of two tensors (`formats.ulpDistance` takes two numbers): a measure
 * with the same meaning in every binade.
 *
 * Shape     a and b alike, or b a number, rounded to the dtype. Dtype both alike, a float; the distances are float64.
 * Rounding  none up to 2^53; between float64 elements further apart, once.
 * Special   both zeros are one place; NaN to NaN is 0; NaN or an infinity to anything else is Infinity.
 *
 * @example ulpDistance(tensor([1, 256], { dtype: 'bfloat16' }), tensor([1.0078125, 258], { dtype: 'bfloat16' })).toNested() // [1,1]
 * @example ulpDistance(tensor([0]), 2 ** -149).item() // 1
 */
export function ulpDistance<D extends DType, E extends D = D>(
  a: Tensor<D>,
  b: Tensor<E> | number,
): Tensor<'float64'> {
  checkFloats('ulpDistance', a)
  if (typeof b !== 'number') checkTensor('ulpDistance', b)
  const other = b instanceof Tensor ? b : full(a.shape, b, { dtype: a.dtype })
  if (other.dtype !== a.dtype) {
    throw new TypeError(`ulpDistance: dtypes differ, cast one of them [${a.dtype} and ${other.dtype}]`)
  }
  checkShapes('ulpDistance', a, other)
  const from = a.toNumbers()
  const to = other.toNumbers()
  const steps = stepsBetween(a, other)
  const distances = from.map((x, i) => {
    const y = to[i]!
    if (sameNumber(x, y)) return 0
    return Number.isFinite(x) && Number.isFinite(y) ? steps(i) : Infinity
  })
  return tensor(distances, { shape: a.shape, dtype: 'float64' })
}

/** The distance between the places of the i-th elements in the order of values. */
function stepsBetween(a: Tensor, b: Tensor): (i: number) => number {
  const x = a.toBits()
  const y = b.toBits()
  if (x instanceof BigUint64Array && y instanceof BigUint64Array) {
    const place = (bits: bigint): bigint => (bits >> 63n ? -(bits & (2n ** 63n - 1n)) : bits)
    return (i) => Math.abs(Number(place(x[i]!) - place(y[i]!)))
  }
  const { signMask = 0, magnitudeMask = 0 } = dtypeFacts(a.dtype)
  const place = (code: number): number => {
    const magnitude = (code & magnitudeMask) >>> 0
    return (code & signMask) === 0 ? magnitude : -magnitude
  }
  return (i) => Math.abs(place(x[i] as number) - place(y[i] as number))
}
