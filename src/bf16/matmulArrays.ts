import { checkOptions } from '../base/options/index.js'
import { arena, type Engine, type MatmulSizes, matmulBlocks } from '../numbers/simd/index.js'
import { decode } from './decodeArrays.js'
import { codeOfResult } from './float32Bits.js'
import { checkCodes, outFor, overlap } from './outArray.js'

/**
 * Matrix product of bfloat16 matrices, summed in float32 by fused steps, rounded once to bfloat16.
 *
 * Shape     a [m, k], b [k, n] -> [m, n], row-major; k = 0 gives +0. `out` may be an operand.
 * Dtype     Uint16Array codes.
 * Rounding  products none; acc = float32(acc + a b), k ascending from +0; the result once, nearest even.
 * Special   any NaN, 0 times Inf, or Inf - Inf: the canonical NaN 0x7FC0. Subnormals are kept, and products beyond
 *           float32 at either end are exact all the same.
 * Error     |r - s| <= g A (1 + 2^-8) + 2^-8 |s| with A = sum |a_i b_i|, g = k u / (1 - k u), u = 2^-24;
 *           in the subnormal range add k 2^-150 + 2^-134.
 * Throws    RangeError for lengths that do not fit.
 * Cost      2 m n k operations; about 4 times as long where operands are so large or small that a product could leave
 *           float32. Allocates the result only, not even that with `out`.
 * Source    Accuracy and Stability of Numerical Algorithms, 2nd ed., 3.1, doi:10.1137/1.9780898718027
 *
 * @example const row = Uint16Array.of(0x3f80, 0x4000)
 * const column = Uint16Array.of(0x4040, 0x4080)
 * matmulArrays(row, column, { m: 1, k: 2, n: 1 }) // [0x4130]
 */
export function matmulArrays(
  a: Uint16Array,
  b: Uint16Array,
  sizes: MatmulSizes,
  out?: Uint16Array,
  engine: Engine = 'simd',
): Uint16Array {
  checkCodes('matmulArrays', a)
  checkCodes('matmulArrays', b)
  checkOptions('matmulArrays', sizes, { m: 'required', k: 'required', n: 'required' })
  const { m, k, n } = sizes
  if (a.length !== m * k || b.length !== k * n) {
    const shown = `${a.length} and ${b.length} for ${m} x ${k} times ${k} x ${n}`
    throw new RangeError(`matmulArrays: lengths differ from the sizes [${shown}]`)
  }
  const result = outFor('matmulArrays', m * n, out)
  const simd = arena(engine)
  if (simd) {
    const left = overlap(a, result) ? a.slice() : a
    const right = overlap(b, result) ? b.slice() : b
    matmulBlocks(simd, 'codes', left, right, sizes, result)
  } else {
    plainMatmul(decode(a), decode(b), sizes, result)
  }
  return result
}

// Products of 8-bit significands are exact in float64; its sum, 53 >= 2 * 24 + 2 bits, then rounds to float32 as the
// exact sum would.
function plainMatmul(a: Float32Array, b: Float32Array, { m, k, n }: MatmulSizes, out: Uint16Array): void {
  const sums = new Float32Array(n)
  for (let i = 0; i < m; i++) {
    sums.fill(0)
    for (let p = 0; p < k; p++) {
      const x = a[i * k + p]!
      for (let j = 0; j < n; j++) sums[j] = sums[j]! + x * b[p * n + j]!
    }
    for (let j = 0; j < n; j++) out[i * n + j] = codeOfResult(sums[j]!)
  }
}
