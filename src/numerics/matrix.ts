import { type AbstractMatrix, Matrix } from 'ml-matrix'
import { checkTensor, type DType, type Tensor, tensor } from '../tensors/tensor/index.js'

/**
 * A tensor as a Matrix of ml-matrix, for its decompositions; the elements are copied.
 *
 * Shape     [m, n], also with m or n = 0.
 * Dtype     any: the elements become float64, exactly. -0, Inf and NaN as they are.
 * Throws    RangeError unless there are two axes.
 *
 * @example toMatrix(tensor([[1, 2], [3, 4]], { dtype: 'bfloat16' })).to2DArray() // [[1, 2], [3, 4]]
 */
export function toMatrix(x: Tensor): Matrix {
  checkTensor('toMatrix', x)
  const [rows, columns] = x.shape
  if (x.rank !== 2) throw new RangeError(`toMatrix: needs two axes [${x.shape.join(', ')}]`)
  return Matrix.from1DArray(rows!, columns!, x.toNumbers() as unknown as number[])
}

/**
 * A Matrix of ml-matrix as a tensor; the elements are copied.
 *
 * Dtype     `dtype`, default float64, which loses nothing. Rounding: once, nearest even, as `tensor` does.
 *
 * @example fromMatrix(toMatrix(tensor([[1, 257]])), { dtype: 'bfloat16' }).toNested() // [[1, 256]]
 */
export function fromMatrix<D extends DType = 'float64'>(
  matrix: AbstractMatrix,
  options: { readonly dtype?: D } = {},
): Tensor<D> {
  const given = matrix as Partial<AbstractMatrix> | null | undefined
  if (typeof given?.to1DArray !== 'function') {
    throw new TypeError(`fromMatrix: needs a Matrix of ml-matrix [${typeof matrix}]`)
  }
  const values = Float64Array.from(matrix.to1DArray())
  return tensor(values, { shape: [matrix.rows, matrix.columns], dtype: options.dtype ?? ('float64' as D) })
}
