import type { MatmulSizes } from '../../../numbers/simd/index.js'
import { product, productsFit, spanOf } from './product.js'

/**
 * Matrix product with exact products and a float32 running sum, k ascending from +0: what a matrix unit does with operands of
 * at most 12 significant bits.
 */
export function exactDot(a: Float32Array, b: Float32Array, sizes: MatmulSizes): Float32Array {
  const out = new Float32Array(sizes.m * sizes.n)
  product(a, b, sizes, out, productsFit(spanOf(a), spanOf(b)))
  return out
}
