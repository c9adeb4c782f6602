import {
  checkFunction,
  checkInteger,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import { add, cast, checkTensor, type DType, sameShape, type Tensor } from '../../../tensors/tensor/index.js'
import { rescale } from './rescale.js'
import { checkMultiplier } from './unitFactors.js'

/** Options of unitResidual. */
export interface UnitResidualOptions {
  /** The weight of the branch against the stream. Default 1. */
  readonly tau?: number
}

/** Options of unitResidualTau. */
export interface UnitResidualTauOptions {
  /** All branches against the embedding. Default 1. */
  readonly residualMult?: number
  /** Attention against the MLP. Default 1. */
  readonly attentionRatio?: number
}

const names: OptionTable<UnitResidualOptions> = { tau: 'optional' }
const tauNames: OptionTable<UnitResidualTauOptions> = { residualMult: 'optional', attentionRatio: 'optional' }

/**
 * A residual stream of unit scale: (x + tau f(x)) / sqrt(1 + tau^2). On the way back the branch gets the whole gradient, of unit scale, and
 * the factor comes where it joins that of the stream.
 *
 * Shape     f keeps the shape. Dtype that of x.
 * Rounding  both factors, what f gives to the dtype of x, the sum.
 * Source    arXiv 2407.17465, appendix B and table 2
 *
 * @example unitResidual(tensor([3]), (x) => x, { tau: 0.75 }).toNested() // [4.200000286102295]
 */
export function unitResidual<D extends DType>(
  x: Tensor<D>,
  f: (x: Tensor<D>) => Tensor,
  options: UnitResidualOptions = noOptions,
): Tensor<D> {
  checkTensor('unitResidual', x)
  checkFunction('unitResidual', 'f', f)
  checkOptions('unitResidual', options, names)
  const { tau = 1 } = options
  checkMultiplier('unitResidual', 'tau', tau)
  const root = Math.sqrt(1 + tau ** 2)
  const branch = f(rescale(x, { backward: tau / root }))
  checkTensor('unitResidual', branch)
  if (!sameShape(branch.shape, x.shape)) {
    throw new RangeError(
      `unitResidual: f changes the shape [${x.shape.join(', ')} and ${branch.shape.join(', ')}]`,
    )
  }
  const stream = rescale(rescale(x, { backward: 1 / root }), { forward: 1 / root })
  return add(rescale(cast(branch, x.dtype), { forward: tau / root }), stream)
}

/**
 * The tau of branch `index` of a transformer of `count` branches, attention and MLP in turn: every attention adds the same variance to
 * the stream, as does every MLP, and embedding, attention and MLPs the same in all where both multipliers are 1.
 *
 * Source    arXiv 2407.17465, appendix G
 *
 * @example [0, 1].map((index) => unitResidualTau(index, 2)) // [1, 0.7071067811865475]
 */
export function unitResidualTau(
  index: number,
  count: number,
  options: UnitResidualTauOptions = noOptions,
): number {
  checkInteger('unitResidualTau', 'count', count, 1)
  checkInteger('unitResidualTau', 'index', index, 0, count - 1)
  checkOptions('unitResidualTau', options, tauNames)
  const { residualMult = 1, attentionRatio = 1 } = options
  checkMultiplier('unitResidualTau', 'residualMult', residualMult)
  checkMultiplier('unitResidualTau', 'attentionRatio', attentionRatio)
  const mlp = residualMult * Math.sqrt(2 / (1 + attentionRatio ** 2))
  const attention = attentionRatio * mlp
  const before = Math.ceil(index / 2) * attention ** 2 + Math.floor(index / 2) * mlp ** 2
  return (index % 2 === 0 ? attention : mlp) / Math.sqrt(count / 2 + before)
}
