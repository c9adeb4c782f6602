import { checkInteger, checkNumber, checkOptions, type OptionTable } from '../../base/options/index.js'
import { type Key, key as keyOfSeed, uniform } from '../../tensors/random/index.js'
import { cast, isFloat, matmul, mul, reshape, sub, Tensor } from '../../tensors/tensor/index.js'
import { leavesOf, mapTree, type Treelike } from '../../tensors/tree/index.js'
import { arithmeticOf } from '../arithmetic/arithmetic.js'
import { globalNorm } from '../arithmetic/globalNorm.js'
import { innerProduct } from '../arithmetic/innerProduct.js'
import { leafwise } from '../arithmetic/leafwise.js'

/** Where the iteration begins and when it ends. */
export interface PowerIterationOptions<V extends Treelike = Tensor> {
  /** The first vector, a tree; a function of vectors needs one. Default: drawn between -1 and 1. */
  readonly v0?: V
  /** The most products. Default: 100. */
  readonly numIters?: number
  /** The norm of the residual, in eigenvalues, below which it ends. Default: 1e-6. */
  readonly errorTolerance?: number
  /** The random stream of the first vector, or its seed. Default: 0. */
  readonly key?: Key | number
}

const names: OptionTable<PowerIterationOptions> = {
  ...{ v0: 'optional', numIters: 'optional', errorTolerance: 'optional', key: 'optional' },
}

/**
 * The eigenvalue of largest magnitude of a symmetric matrix, or of a linear function of trees such as a Hessian-vector product, and its
 * eigenvector of norm 1.
 *
 * Rounding  products as `matmul`; norms and inner products in float64, once to the dtype.
 * Special   two eigenvalues of one magnitude and other signs: no convergence, the last values.
 *
 * @example powerIteration(tensor([[2, 0], [0, 1]]), { v0: tensor([1, 1]) })[0].item() // 2
 */
export function powerIteration<V extends Treelike = Tensor>(
  matrix: Tensor | ((v: V) => V),
  options: PowerIterationOptions<V> = {},
): readonly [eigenvalue: Tensor, eigenvector: V] {
  const op = 'powerIteration'
  checkOptions(op, options, names as OptionTable<PowerIterationOptions<V>>)
  const { numIters = 100, errorTolerance = 1e-6, key = 0 } = options
  checkInteger(op, 'numIters', numIters, 1)
  checkNumber(op, 'errorTolerance', errorTolerance, 0)
  const isMatrix = matrix instanceof Tensor
  if (!isMatrix && typeof matrix !== 'function') {
    throw new TypeError(`${op}: matrix is neither a tensor nor a function [${typeof matrix}]`)
  }
  if (isMatrix && (matrix.rank !== 2 || matrix.shape[0] !== matrix.shape[1] || !isFloat(matrix.dtype))) {
    throw new RangeError(
      `${op}: matrix is no square one of floats [${matrix.dtype} ${matrix.shape.join(', ')}]`,
    )
  }
  if (!isMatrix && options.v0 === undefined) throw new RangeError(`${op}: a function needs v0 [undefined]`)
  const times = (v: V): V =>
    isMatrix
      ? (reshape(matmul(matrix, reshape(v as unknown as Tensor, [matrix.shape[0]!, 1])), [
          matrix.shape[0]!,
        ]) as unknown as V)
      : matrix(v)
  const a = arithmeticOf('ieee')
  const unit = (v: V): V => {
    const inverse = a.div(1, globalNorm(v))
    return mapTree((leaf): Tensor => a.mul(leaf, inverse), v) as V
  }
  let vector = unit(options.v0 ?? (firstVector(matrix as Tensor, key) as unknown as V))
  let product = times(vector)
  let value = globalNorm(vector)
  for (let i = 0; i < numIters; i++) {
    vector = unit(product)
    product = times(vector)
    value = innerProduct(a, vector, product)
    const shrunk = mapTree((leaf): Tensor => mul(leaf, value), vector)
    const [residual] = leafwise(op, [product, shrunk], ([z, v]) => [sub(z!, v!)])
    if (Math.abs(globalNorm(residual).item() / value.item()) < errorTolerance) break
  }
  return [value, leavesOf(product).length === 0 ? vector : unit(product)]
}

function firstVector({ shape, dtype }: Tensor, key: Key | number): Tensor {
  const drawn = uniform(typeof key === 'number' ? keyOfSeed(key) : key, [shape[0]!], {
    minval: -1,
    maxval: 1,
  })
  return cast(drawn, dtype)
}
