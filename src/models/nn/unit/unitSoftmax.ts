import { checkInteger, checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { softmax } from '../../../numerics/index.js'
import { checkTensor, type DType, mul, type Tensor } from '../../../tensors/tensor/index.js'
import { rescale } from './rescale.js'
import { between, checkMultiplier, constrained, type UnitConstraint } from './unitFactors.js'

/** Options of unitSoftmax. */
export interface UnitSoftmaxOptions {
  /** The axis that sums to 1 before the factor. Default: the last. */
  readonly axis?: number
  /** What inputs are multiplied by first. Default 1. */
  readonly mult?: number
  /** Default 'output'. */
  readonly constraint?: UnitConstraint
}

const names: OptionTable<UnitSoftmaxOptions> = { axis: 'optional', mult: 'optional', constraint: 'optional' }

/**
 * softmax(mult x) times a factor between n, for flat results, and sqrt(n), for a single large one, n elements along the axis.
 *
 * Shape, Dtype kept; a float.
 * Rounding  `numerics.softmax`, then the factor.
 * Source    arXiv 2407.17465, appendix B; the package unit-scaling 0.3.5
 *
 * @example unitSoftmax(tensor([0, 0])).toNested() // [0.9330329895019531, 0.9330329895019531]
 */
export function unitSoftmax<D extends DType>(
  x: Tensor<D>,
  options: UnitSoftmaxOptions = noOptions,
): Tensor<D> {
  checkTensor('unitSoftmax', x)
  checkOptions('unitSoftmax', options, names, { positional: 'axis' })
  const { axis = -1, mult = 1, constraint = 'output' } = options
  checkMultiplier('unitSoftmax', 'mult', mult)
  checkInteger('unitSoftmax', 'axis', axis, -x.rank, x.rank - 1)
  const n = Math.max(1, x.shape.at(axis)!)
  const share = 1 / (1 + 4 / mult ** 2)
  const [forward, backward] = constrained('unitSoftmax', constraint, [
    between(share, n, n ** 0.5),
    between(share, n / mult, (n / mult) ** 0.5),
  ])
  const inside = rescale(x, { backward: backward! })
  const probabilities = softmax(mult === 1 ? inside : (mul(inside, mult) as Tensor<D>), { axis })
  return rescale(probabilities, { forward: forward! })
}
