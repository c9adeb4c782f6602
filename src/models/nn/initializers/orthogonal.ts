import { Matrix, QrDecomposition } from 'ml-matrix'
import {
  checkInteger,
  checkNumber,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import { normal } from '../../../tensors/random/index.js'
import {
  mul,
  reshape,
  type Shape,
  sizeOf,
  type Tensor,
  tensor,
  transpose,
  zeros,
} from '../../../tensors/tensor/index.js'
import { checkInitialShape, type Initializer } from './initializer.js'

/** Options of `orthogonal`. */
export interface OrthogonalOptions {
  /** What the orthonormal weights are multiplied by. Default 1. */
  readonly scale?: number
  /** The axis whose places are the columns; all others together are the rows. Default -1. */
  readonly columnAxis?: number
}

const orthogonalNames: OptionTable<OrthogonalOptions> = { scale: 'optional', columnAxis: 'optional' }

/**
 * A random orthogonal matrix, uniform over all: orthonormal columns, or rows where there are fewer of them.
 *
 * Shape     any of two axes or more.
 * Rounding  Q of the QR decomposition of a normal matrix, in float64, its columns times the signs of R's diagonal, rounded
 *           once to float32; then times scale. JAX decomposes the same matrix in float32 with LAPACK.
 * Error     about 1e-6 from jax.nn.initializers.orthogonal, the error of its float32 decomposition.
 * Source    F. Mezzadri, How to generate random matrices from the classical compact groups, Notices AMS 54(5), 2007
 *
 * @example orthogonal()(random.key(0), [1, 1]).toNested() // [[1]]
 */
export function orthogonal(options: OrthogonalOptions = noOptions): Initializer {
  checkOptions('orthogonal', options, orthogonalNames, { positional: 'scale' })
  const { scale = 1, columnAxis = -1 } = options
  checkNumber('orthogonal', 'scale', scale)
  return (key, shape) => {
    checkInitialShape('orthogonal', shape)
    const rank = shape.length
    if (rank < 2) throw new RangeError(`orthogonal: shape has fewer than two axes [${shape.join(', ')}]`)
    checkInteger('orthogonal', 'columnAxis', columnAxis, -rank, rank - 1)
    if (sizeOf(shape) === 0) return zeros([...shape])
    const axis = columnAxis < 0 ? columnAxis + rank : columnAxis
    const columns = shape[axis]!
    const rows = sizeOf(shape) / columns
    const tall = [Math.max(rows, columns), Math.min(rows, columns)] as const
    const factor = orthonormalColumns(normal(key, tall[0] * tall[1]), ...tall)
    const matrix = mul(tensor(factor, { shape: [...tall] }), scale)
    return columnsAt(axis, rows < columns ? transpose(matrix) : matrix, shape)
  }
}

/** Q of a matrix [rows, columns], flat, rows first, with the signs that make R's diagonal positive. */
function orthonormalColumns(values: Float32Array, rows: number, columns: number): Float64Array {
  const matrix = Matrix.from1DArray(rows, columns, Array.from(values))
  const decomposition = new QrDecomposition(matrix)
  const q = decomposition.orthogonalMatrix
  const diagonal = decomposition.upperTriangularMatrix.diagonal()
  const flat = new Float64Array(rows * columns)
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) flat[i * columns + j] = q.get(i, j) * Math.sign(diagonal[j]!)
  }
  return flat
}

/** A matrix [rows, columns] in a shape whose axis counts the columns. */
function columnsAt(axis: number, matrix: Tensor<'float32'>, shape: Shape): Tensor<'float32'> {
  const others = shape.filter((_, i) => i !== axis)
  const order = shape.map((_, i) => (i < axis ? i : i === axis ? others.length : i - 1))
  return transpose(reshape(matrix, [...others, shape[axis]!]), order)
}
