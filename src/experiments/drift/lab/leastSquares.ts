/** The problem that the optimizers are run on: |A w - b|^2 / (2 n), n = 64. */
export const size = 64

/** AdamW's constants in these runs. */
export const hyper = { learningRate: 1e-3, b1: 0.9, b2: 0.999, eps: 1e-8, weightDecay: 0.01 } as const

const seed = 82

function hash32(x: number): number {
  let h = x ^ (x >>> 16)
  h = Math.imul(h, 0x7feb352d)
  h ^= h >>> 15
  h = Math.imul(h, 0x846ca68b)
  return (h ^ (h >>> 16)) >>> 0
}

/** Numbers about standard normal: twelve uniform ones added up, less 6. Draws of the golden file, so the same problem. */
function bell(stream: number, n: number): Float64Array {
  const start = hash32(hash32(seed) ^ stream)
  const uniform = (i: number): number => hash32((start + Math.imul(i, 0x9e3779b9)) >>> 0) / 2 ** 32
  return Float64Array.from({ length: n }, (_, k) => {
    let sum = 0
    for (let i = 0; i < 12; i++) sum += uniform(12 * k + i)
    return sum - 6
  })
}

const A = Float64Array.from(bell(1, size * size), (x) => Math.fround(x * 0.125))
const truth = bell(2, size).map(Math.fround)
const b = Float64Array.from({ length: size }, (_, i) => {
  let sum = 0
  for (let j = 0; j < size; j++) sum += A[i * size + j]! * truth[j]!
  return Math.fround(sum)
})

/** Where training starts, in float32. */
export const start: Float32Array = Float32Array.from(bell(3, size))

/** A'(A w - b) / n, each product and sum rounded by `round`. */
export function gradient(w: Float64Array, round: (value: number) => number): Float64Array {
  const rest = new Float64Array(size)
  for (let i = 0; i < size; i++) {
    let sum = 0
    for (let j = 0; j < size; j++) sum = round(sum + round(A[i * size + j]! * w[j]!))
    rest[i] = round(sum - b[i]!)
  }
  return rest.map((_, j) => {
    let sum = 0
    for (let i = 0; i < size; i++) sum = round(sum + round(A[i * size + j]! * rest[i]!))
    return round(sum / size)
  })
}
