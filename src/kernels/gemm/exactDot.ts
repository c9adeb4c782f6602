import { type MatmulSizes, matmulFloat32 } from '../../simd/index.js'

/**
 * Matrix product with exact products and a float32 running sum, k ascending from +0: what a matrix unit does with operands of
 * at most 12 significant bits.
 *
 * The fast product rounds every product to float32, which changes nothing where none can underflow or overflow; elsewhere
 * each step is one rounding of a float64 sum (53 >= 2 x 24 + 2, so that is innocuous).
 */
export function exactDot(a: Float32Array, b: Float32Array, sizes: MatmulSizes): Float32Array {
  const [leastA, mostA] = range(a)
  const [leastB, mostB] = range(b)
  if (leastA * leastB >= 2 ** -126 && mostA * mostB < 2 ** 128) return matmulFloat32(a, b, sizes)
  return plainDot(a, b, sizes)
}

/** The least and the largest magnitude among the elements that are finite and not 0. */
function range(x: Float32Array): readonly [number, number] {
  let least = Infinity
  let most = 0
  for (const value of x) {
    const magnitude = Math.abs(value)
    if (magnitude > most && magnitude < Infinity) most = magnitude
    if (magnitude < least && magnitude > 0) least = magnitude
  }
  return [least, most]
}

function plainDot(a: Float32Array, b: Float32Array, { m, k, n }: MatmulSizes): Float32Array {
  const out = new Float32Array(m * n)
  for (let i = 0; i < m; i++) {
    for (let p = 0; p < k; p++) {
      const x = a[i * k + p]!
      for (let j = 0; j < n; j++) out[i * n + j] = out[i * n + j]! + x * b[p * n + j]!
    }
  }
  return out
}
