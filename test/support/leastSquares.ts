import { type FloatDType, type Tensor, tensor } from 'tpu-toolkit/tensor'

/** |A w - b|^2 / (2 n) over w, A of n rows and as many columns, row-major. */
export interface LeastSquares {
  readonly n: number
  readonly A: Float64Array
  readonly b: Float64Array
}

/**
 * The gradient at w, every product and every sum rounded to float32 or float64, then to `dtype`: sums over ascending
 * indices, A' (A w - b) / n.
 */
export function gradientAt(
  problem: LeastSquares,
  w: Tensor,
  inside: 'float32' | 'float64',
  dtype: FloatDType,
): Tensor {
  const { n, A, b } = problem
  const round = inside === 'float32' ? Math.fround : (x: number) => x
  const values = w.toNumbers()
  const rest = new Float64Array(n)
  for (let i = 0; i < n; i++) {
    let sum = 0
    for (let j = 0; j < n; j++) sum = round(sum + round(A[i * n + j]! * values[j]!))
    rest[i] = round(sum - b[i]!)
  }
  const gradient = new Float64Array(n)
  for (let j = 0; j < n; j++) {
    let sum = 0
    for (let i = 0; i < n; i++) sum = round(sum + round(A[i * n + j]! * rest[i]!))
    gradient[j] = round(sum / n)
  }
  return tensor(gradient, { dtype })
}

/** The loss at w, in float64. */
export function lossAt({ n, A, b }: LeastSquares, w: Tensor): number {
  const values = w.toNumbers()
  let loss = 0
  for (let i = 0; i < n; i++) {
    let sum = 0
    for (let j = 0; j < n; j++) sum += A[i * n + j]! * values[j]!
    loss += (sum - b[i]!) ** 2
  }
  return loss / (2 * n)
}
