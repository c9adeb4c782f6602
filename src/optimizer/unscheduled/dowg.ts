import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { full, type Tensor } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { chosen } from '../arithmetic/chosen.js'
import { stateTree } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { lowest } from '../arithmetic/lowest.js'
import { squaredNorm } from '../arithmetic/squaredNorm.js'
import { type GradientTransformation, needParams, type State } from '../transformation.js'
import { type FoundRateOptions, foundRateNames, withFoundRate } from './foundRate.js'

/** Where the estimate of the distance begins. */
export interface ScaleByDowgOptions extends ArithmeticOption {
  /** The first estimate of the squared distance. Default: `eps`. */
  readonly initEstimSqDist?: number
  /** Added to the root in the denominator. Default: 1e-4. */
  readonly eps?: number
}

/** The names of `ScaleByDowgOptions`. */
export const scaleByDowgNames: OptionTable<ScaleByDowgOptions> = {
  initEstimSqDist: 'optional',
  eps: 'optional',
  ...arithmeticNames,
}

/** Where the parameters began, the squared norms of gradients weighted by the distance, the largest squared distance. */
export type DowgState = {
  readonly initParams: Tree
  readonly weightedSqNormGrads: Tensor
  readonly estimSqDist: Tensor
}

/**
 * Updates times the largest squared distance from the first parameters, over the root of the sum of the gradients' squared
 * norms, each times that distance.
 *
 * Dtype     distance and sum in the narrowest dtype of the parameters, as in optax.
 * Rounding  squared norms leaf by leaf to the dtype, every sum and quotient to it.
 * Source    DoWG unleashed, arXiv:2305.16284
 *
 * @example scaleByDowg({ initEstimSqDist: 0.5 }).init([tensor([1])]).estimSqDist.item() // 0.5
 */
export function scaleByDowg(options: ScaleByDowgOptions = {}): GradientTransformation<DowgState> {
  checkOptions('scaleByDowg', options, scaleByDowgNames)
  const { eps = 1e-4, initEstimSqDist = eps } = options
  checkScalar('scaleByDowg', 'eps', eps, 0)
  checkScalar('scaleByDowg', 'initEstimSqDist', initEstimSqDist, 0)
  const a = arithmeticOf(options.arithmetic)
  return {
    init(params) {
      const dtype = lowest(params)
      return {
        initParams: stateTree(params, (p) => p),
        weightedSqNormGrads: full([], 0, { dtype }),
        estimSqDist: full([], a.weak(initEstimSqDist, dtype), { dtype }),
      }
    },
    update(updates, { initParams, ...state }, params) {
      const at = needParams('scaleByDowg', params)
      const [moved] = leafwise('scaleByDowg', [initParams, at], ([p0, p]) => [a.sub(p0!, p!)])
      const estimSqDist = a.maximum(state.estimSqDist, squaredNorm(a, moved))
      const weighted = a.mul(estimSqDist, squaredNorm(a, updates))
      const weightedSqNormGrads = a.add(weighted, state.weightedSqNormGrads)
      const rate = a.div(estimSqDist, a.add(a.sqrt(weightedSqNormGrads), eps))
      const [scaled] = leafwise('scaleByDowg', [updates], ([g]) => [a.mul(rate, g!)])
      return [scaled, { initParams, weightedSqNormGrads, estimSqDist }]
    },
  }
}

/** DoWG with weight decay and a factor of the rate that it finds. */
export interface DowgOptions extends ScaleByDowgOptions, FoundRateOptions {}

const names: OptionTable<DowgOptions> = { ...foundRateNames, ...scaleByDowgNames }

/**
 * Distance over weighted gradients, descent without a rate: `chain(addDecayedWeights, scaleByDowg, scaleByLearningRate)`.
 *
 * Source    DoWG unleashed, arXiv:2305.16284
 *
 * @example dowg().init([tensor([1])]).length // 3
 */
export function dowg(options: DowgOptions = {}): GradientTransformation<readonly State[]> {
  checkOptions('dowg', options, names)
  return withFoundRate(scaleByDowg(chosen(options, scaleByDowgNames)), options)
}
