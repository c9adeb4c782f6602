import { broadcastPlaces, Tensor } from '../../tensor/index.js'

/**
 * The matrix product of float64 tensors, each sum k ascending from +0: the fast twin of tensor's kernel, row by row, with
 * the same bits, but for the sign of a NaN.
 */
export function matmulFloat64(a: Tensor, b: Tensor, shape: readonly number[]): Tensor<'float64'> {
  const [m, n] = shape.slice(-2) as [number, number]
  const k = a.shape.at(-1)!
  const batch = shape.slice(0, -2)
  const x = spread(a, [...batch, m, k])
  const y = spread(b, [...batch, k, n])
  const out = new Float64Array(shape.reduce((count, length) => count * length, 1))
  const matrices = m * n === 0 ? 0 : out.length / (m * n)
  for (let matrix = 0; matrix < matrices; matrix++) {
    const base = matrix * k * n
    for (let i = 0; i < m; i++) {
      const from = (matrix * m + i) * k
      const to = (matrix * m + i) * n
      if (n === 1) out[to] = dot(x, from, y, base, k)
      else for (let p = 0; p < k; p++) addRow(out, to, x[from + p]!, y, base + p * n, n)
    }
  }
  return new Tensor('float64', shape, out)
}

function addRow(out: Float64Array, to: number, left: number, y: Float64Array, from: number, n: number): void {
  for (let j = 0; j < n; j++) out[to + j]! += left * y[from + j]!
}

function dot(x: Float64Array, i: number, y: Float64Array, j: number, k: number): number {
  let sum = 0
  for (let p = 0; p < k; p++) sum += x[i + p]! * y[j + p]!
  return sum
}

/** The elements of a batch of matrices, repeated where a product broadcasts them. */
function spread(x: Tensor, shape: readonly number[]): Float64Array {
  const data = x.data as Float64Array
  const places = broadcastPlaces(x.shape, shape)
  return places ? Float64Array.from(places, (at) => data[at]!) : data
}
