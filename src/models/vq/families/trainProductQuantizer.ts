import { SVD } from 'ml-matrix'
import { checkInteger, checkOptions, type OptionTable } from '../../../base/options/index.js'
import { fromMatrix, toMatrix } from '../../../numerics/index.js'
import { type Key, split } from '../../../tensors/random/index.js'
import {
  cast,
  eye,
  matmul,
  reshape,
  slice,
  stack,
  type Tensor,
  transpose,
} from '../../../tensors/tensor/index.js'
import { matrixOf } from '../rows/rowsOf.js'
import { type Kmeans, kmeans } from '../train/kmeans.js'
import { type ProductQuantizer, productQuantizer } from './productQuantizer.js'

/** How a product quantizer is fitted. One of `init` and `key` is needed. */
export interface TrainProductQuantizerOptions {
  /** Parts of a vector. */
  readonly m: number
  /** Bits of a part's code: 2^bits codes. */
  readonly bits: number
  /** Steps of k-means for every part, and after every rotation again. Default 25. */
  readonly iterations?: number
  /** Draws the codes to begin with. */
  readonly key?: Key
  /** The codes to begin with, [m, 2^bits, dim / m]. */
  readonly init?: Tensor
  /** Steps of optimised product quantisation: a rotation that suits the codes, then the codes again. Default 0. */
  readonly rotations?: number
}

/** A fitted product quantizer. */
export interface TrainedProductQuantizer {
  readonly quantizer: ProductQuantizer
  /** The codes of the rows it was fitted to, [n, m]. */
  readonly codes: Tensor<'int32'>
  /** The mean squared error of an element, after fitting and after each rotation. */
  readonly errors: readonly number[]
}

const names: OptionTable<TrainProductQuantizerOptions> = {
  ...{ m: 'required', bits: 'required', iterations: 'optional' },
  ...{ key: 'optional', init: 'optional', rotations: 'optional' },
}

/**
 * A product quantizer fitted to rows: k-means on every part; with `rotations` in turn the orthogonal R that brings x R nearest
 * to its decoded vectors Y, which is U V^T of the singular value decomposition of x^T Y, and k-means from the codes there were.
 *
 * Shape     x [n, dim], dim a multiple of m.
 * Dtype     codebooks and rotation are float64.
 * Rounding  float64.
 * Throws    RangeError for parts that do not divide, and fewer rows than codes.
 * Source    Ge et al., Optimized Product Quantization, doi:10.1109/TPAMI.2013.240
 *
 * @example trainProductQuantizer(tensor([[0, 1], [4, 1]]), { m: 2, bits: 0 }) // throws trainProductQuantizer: bits is not a whole number from 1 to 24 [0]
 */
export function trainProductQuantizer(
  x: Tensor,
  options: TrainProductQuantizerOptions,
): TrainedProductQuantizer {
  const op = 'trainProductQuantizer'
  const { n, d } = matrixOf(op, 'x', x)
  checkOptions(op, options, names)
  const { m, bits, iterations = 25, key, init, rotations = 0 } = options
  checkInteger(op, 'm', m, 1)
  checkInteger(op, 'bits', bits, 1, 24)
  checkInteger(op, 'rotations', rotations, 0)
  if (d % m !== 0) {
    throw new RangeError(`${op}: vectors of ${d} numbers are not cut in ${m} parts [${d} / ${m}]`)
  }
  const subDim = d / m
  const k = 2 ** bits
  if (k > n) throw new RangeError(`${op}: more codes than rows [${k} of ${n}]`)
  if (init !== undefined && init.shape.join() !== [m, k, subDim].join()) {
    throw new RangeError(`${op}: init is not [${m}, ${k}, ${subDim}] [${init.shape.join(', ')}]`)
  }
  if (init === undefined && key === undefined) {
    throw new RangeError(`${op}: neither init nor a key to draw the first codes by [no codes to begin with]`)
  }
  const rows = cast(x, 'float64')
  const begin: Begin = init ? { init: cast(init, 'float64') } : { k, keys: split(key!, m) }
  let fitted = parts(rows, { m, subDim, iterations }, begin)
  let rotation: Tensor = eye(d, { dtype: 'float64' })
  const errors = [fitted.error]
  for (let turn = 0; turn < rotations; turn++) {
    const quantizer = productQuantizer(fitted.codebooks)
    rotation = optimizedRotation(rows, quantizer.decode(fitted.codes))
    fitted = parts(matmul(rows, rotation), { m, subDim, iterations }, { init: fitted.codebooks })
    errors.push(fitted.error)
  }
  const quantizer = productQuantizer(fitted.codebooks, rotations > 0 ? { rotation } : {})
  return { quantizer, codes: fitted.codes, errors }
}

/**
 * The orthogonal matrix R that brings x R nearest to y, in the sum of squares: U V^T of the singular value decomposition of x^T y.
 *
 * Shape     x [n, d], y [n, d] -> [d, d].
 * Rounding  float64.
 * Throws    RangeError for other shapes.
 * Source    Schonemann, doi:10.1007/BF02289451
 *
 * @example optimizedRotation(tensor([[1, 0], [0, 1]]), tensor([[0, 1], [-1, 0]])).toNested() // [[0, 1], [-1, 0]]
 */
export function optimizedRotation(x: Tensor, y: Tensor): Tensor<'float64'> {
  const { n, d } = matrixOf('optimizedRotation', 'x', x)
  const other = matrixOf('optimizedRotation', 'y', y)
  if (other.n !== n || other.d !== d) {
    throw new RangeError(`optimizedRotation: shapes differ [${n}, ${d}] and [${other.n}, ${other.d}]`)
  }
  const product = matmul(transpose(cast(x, 'float64')), cast(y, 'float64'))
  const { leftSingularVectors, rightSingularVectors } = new SVD(toMatrix(product))
  return fromMatrix(leftSingularVectors.mmul(rightSingularVectors.transpose()), { dtype: 'float64' })
}

type Begin = { readonly init: Tensor } | { readonly k: number; readonly keys: readonly Key[] }

interface Fitted {
  readonly codebooks: Tensor
  readonly codes: Tensor<'int32'>
  readonly error: number
}

function parts(
  rows: Tensor,
  { m, subDim, iterations }: { m: number; subDim: number; iterations: number },
  begin: Begin,
): Fitted {
  const found = Array.from({ length: m }, (_, i): Kmeans => {
    const part = slice(rows, [null, [i * subDim, (i + 1) * subDim]])
    if (!('init' in begin)) return kmeans(part, { k: begin.k, key: begin.keys[i]!, iterations })
    const init = slice(begin.init, [[i, i + 1]])
    return kmeans(part, { init: reshape(init, [begin.init.shape[1]!, subDim]), iterations })
  })
  return {
    codebooks: stack(found.map(({ centroids }) => centroids)),
    codes: stack(
      found.map(({ codes }) => codes),
      { axis: 1 },
    ),
    error: found.reduce((sum, { inertia }) => sum + inertia, 0) / rows.size,
  }
}
