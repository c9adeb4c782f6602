import { arena, type Engine } from './arena.js'
import { type MatmulSizes, matmulBlocks } from './matmulBlocks.js'
import { checkSizes, matmulOperands } from './matmulOperands.js'

/**
 * Matrix product of int32 matrices modulo 2^32; of uint32 ones too, given as the int32 of the same bits.
 *
 * Shape     a [m, k], b [k, n] -> [m, n]; k = 0 gives 0.
 * Dtype     int32.
 * Rounding  none: products and sums wrap.
 * Special   none
 * Throws    RangeError for lengths that differ from the sizes.
 * Cost      2 m n k operations; allocates the result only, not even that with `out`.
 * Source    none
 */
export function matmulInt32(
  a: Int32Array,
  b: Int32Array,
  sizes: MatmulSizes,
  out?: Int32Array,
  engine: Engine = 'simd',
): Int32Array {
  checkSizes('matmulInt32', sizes)
  const result = out ?? new Int32Array(sizes.m * sizes.n)
  const [left, right] = matmulOperands('matmulInt32', a, b, sizes, result)
  const simd = arena(engine)
  if (simd) matmulBlocks(simd, 'int32', left, right, sizes, result)
  else plainMatmul(left, right, sizes, result)
  return result
}

function plainMatmul(a: Int32Array, b: Int32Array, { m, k, n }: MatmulSizes, out: Int32Array): void {
  out.fill(0)
  for (let i = 0; i < m; i++) {
    for (let p = 0; p < k; p++) {
      const x = a[i * k + p]!
      for (let j = 0; j < n; j++) out[i * n + j] = out[i * n + j]! + Math.imul(x, b[p * n + j]!)
    }
  }
}
