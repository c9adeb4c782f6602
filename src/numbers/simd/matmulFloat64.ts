import { arena, type Engine } from './arena.js'
import { type MatmulSizes, matmulBlocks } from './matmulBlocks.js'
import { checkSizes, matmulOperands } from './matmulOperands.js'

/**
 * Matrix product in float64 of float64 or float32 matrices: acc = acc + a b, k ascending from +0.
 * The products of float32 numbers are exact, those of float64 numbers rounded.
 *
 * Shape     a [m, k], b [k, n] -> [m, n]; k = 0 gives +0.
 * Dtype     both operands alike; the result is float64.
 * Rounding  every product and every sum to float64, nearest even.
 * Special   IEEE 754; a NaN is a NaN of no defined sign or payload.
 * Throws    RangeError for lengths that differ from the sizes.
 * Cost      2 m n k operations; allocates the result only, not even that with `out`.
 * Source    none
 */
export function matmulFloat64<A extends Float32Array | Float64Array>(
  a: A,
  b: A,
  sizes: MatmulSizes,
  out?: Float64Array,
  engine: Engine = 'simd',
): Float64Array {
  checkSizes('matmulFloat64', sizes)
  const result = out ?? new Float64Array(sizes.m * sizes.n)
  const [left, right] = matmulOperands('matmulFloat64', a, b, sizes, result)
  const simd = arena(engine)
  if (simd) matmulBlocks(simd, 'float64', left, right, sizes, result)
  else plainMatmul(left, right, sizes, result)
  return result
}

function plainMatmul(
  a: Float32Array | Float64Array,
  b: Float32Array | Float64Array,
  { m, k, n }: MatmulSizes,
  out: Float64Array,
): void {
  out.fill(0)
  for (let i = 0; i < m; i++) {
    for (let p = 0; p < k; p++) {
      const x = a[i * k + p]!
      for (let j = 0; j < n; j++) out[i * n + j] = out[i * n + j]! + x * b[p * n + j]!
    }
  }
}
