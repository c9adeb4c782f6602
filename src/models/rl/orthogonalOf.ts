import { checkNumber, checkOptions, noOptions, type OptionTable } from '../../base/options/index.js'
import { checkTensor, type Tensor, tensor } from '../../tensors/tensor/index.js'

/** Options of `orthogonalOf`. */
export interface OrthogonalOfOptions {
  /** Default 1; the published details of PPO have the root of 2 inside, 0.01 for the policy's head and 1 for the value's. */
  readonly gain?: number
}

const orthogonalNames: OptionTable<OrthogonalOfOptions> = { gain: 'optional' }

/**
 * The orthogonal factor of a matrix (of its transpose, where that is the tall one) whose triangular factor has a positive diagonal,
 * times the gain. Of a Gaussian matrix: weights to start from; `nn.orthogonal` draws one from a key.
 *
 * Shape     [m, n] -> [m, n].
 * Dtype     float64.
 * Rounding  Gram-Schmidt, each column twice, sums ascending.
 * Error     about 1e-15 times the gain, unless columns are nearly dependent.
 * Throws    RangeError for anything but a matrix, and dependent columns.
 * Source    L. Giraud et al., The loss of orthogonality in the Gram-Schmidt process, doi:10.1016/j.camwa.2005.08.009
 *
 * @example orthogonalOf(tensor([[2, 0], [0, -3]])).toNested() // [[1,0],[0,-1]]
 */
export function orthogonalOf(matrix: Tensor, options: OrthogonalOfOptions = noOptions): Tensor<'float64'> {
  checkTensor('orthogonalOf', matrix)
  checkOptions('orthogonalOf', options, orthogonalNames, { positional: 'gain' })
  const { gain = 1 } = options
  checkNumber('orthogonalOf', 'gain', gain)
  if (matrix.rank !== 2) throw new RangeError(`orthogonalOf: no matrix [${matrix.shape.join(', ')}]`)
  const [m, n] = [matrix.shape[0]!, matrix.shape[1]!]
  const numbers = matrix.toNumbers()
  // Column j of the tall one, wherever its elements are.
  const [rows, columns, down, across] = m >= n ? [m, n, n, 1] : [n, m, 1, n]
  const made: Float64Array[] = []
  for (let j = 0; j < columns; j++) {
    const column = Float64Array.from({ length: rows }, (_, i) => numbers[i * down + j * across]!)
    const before = Math.sqrt(dot(column, column))
    for (const q of [...made, ...made]) take(column, q)
    const length = Math.sqrt(dot(column, column))
    if (!(length > before * 2 ** -40)) throw new RangeError(`orthogonalOf: columns are dependent [${j}]`)
    made.push(column.map((x) => x / length))
  }
  const values = new Float64Array(m * n)
  for (const [j, q] of made.entries()) {
    for (let i = 0; i < rows; i++) values[i * down + j * across] = gain * q[i]!
  }
  return tensor(values, { shape: [m, n], dtype: 'float64' })
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

/** Takes what lies along q out of the column. */
function take(column: Float64Array, q: Float64Array): void {
  const along = dot(column, q)
  for (let i = 0; i < column.length; i++) column[i] = column[i]! - along * q[i]!
}
