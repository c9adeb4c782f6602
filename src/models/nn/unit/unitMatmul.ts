import { checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { checkTensor, type DType, matmul, type Tensor } from '../../../tensors/tensor/index.js'
import { rescale } from './rescale.js'
import { constrained, type UnitConstraint } from './unitFactors.js'

/** Options of unitMatmul. */
export interface UnitMatmulOptions {
  /** Default 'output': all three factors are that of the result. */
  readonly constraint?: UnitConstraint
}

const names: OptionTable<UnitMatmulOptions> = { constraint: 'optional' }

/**
 * Matrix product of two activations with results and gradients of unit scale: a b / sqrt(k), gradients by 1 / sqrt(n) and 1 / sqrt(m) in
 * place of that where the constraint leaves them.
 *
 * Shape     a [..., m, k], b [..., k, n] -> [..., m, n]. Dtype both alike.
 * Rounding  `matmul`, then the factor.
 * Source    arXiv 2303.11257, table A.2; the package unit-scaling 0.3.5
 *
 * @example unitMatmul(tensor([[1, 2, 3, 4]]), tensor([[1], [1], [1], [1]])).toNested() // [[5]]
 */
export function unitMatmul<D extends DType>(
  a: Tensor<D>,
  b: Tensor<D>,
  options: UnitMatmulOptions = noOptions,
): Tensor<D> {
  checkTensor('unitMatmul', a)
  checkTensor('unitMatmul', b)
  checkOptions('unitMatmul', options, names)
  if (a.rank < 2 || b.rank < 2) {
    throw new RangeError(`unitMatmul: operands have less than 2 axes [${a.rank} and ${b.rank}]`)
  }
  const [m, k, n] = [a.shape.at(-2)!, a.shape.at(-1)!, b.shape.at(-1)!]
  const [forward, left, right] = constrained('unitMatmul', options.constraint ?? 'output', [
    k ** -0.5,
    n ** -0.5,
    m ** -0.5,
  ])
  const product = matmul(rescale(a, { backward: left! }), rescale(b, { backward: right! }))
  return rescale(product, { forward: forward! })
}
