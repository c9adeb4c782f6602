import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import type { Mask } from '../mask.js'
import type { GradientTransformation, State } from '../transformation.js'
import { addDecayedWeights } from '../transforms/addDecayedWeights.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import { type ScaleBySophiaOptions, scaleBySophia, scaleBySophiaNames } from './scaleBySophia.js'

/** Sophia with weight decay and a learning rate. */
export interface SophiaOptions extends ScaleBySophiaOptions {
  readonly learningRate: LearningRate
  /** Default: 1e-4. */
  readonly weightDecay?: LearningRate
  /** Where weights decay. Default: everywhere. */
  readonly weightDecayMask?: Mask
}

const names: OptionTable<SophiaOptions> = {
  learningRate: 'required',
  weightDecay: 'optional',
  weightDecayMask: 'optional',
  ...scaleBySophiaNames,
}

/**
 * Sophia: `chain(scaleBySophia, addDecayedWeights, scaleByLearningRate)`.
 *
 * Source    Sophia, arXiv:2305.14342
 *
 * @example sophia({ learningRate: 1e-3, hessianDiagonalFn: hutchinsonEstimatorDiagHessian({ key: 0 }) }).init([tensor([1])]).length // 3
 */
export function sophia(options: SophiaOptions): GradientTransformation<readonly State[]> {
  checkOptions('sophia', options, names)
  const { learningRate, weightDecay = 1e-4, weightDecayMask: mask } = options
  const exact = chosen(options, arithmeticNames)
  return chain(
    scaleBySophia(chosen(options, scaleBySophiaNames)),
    addDecayedWeights(weightDecay, mask === undefined ? exact : { ...exact, mask }),
    scaleByLearningRate(learningRate, exact),
  )
}
