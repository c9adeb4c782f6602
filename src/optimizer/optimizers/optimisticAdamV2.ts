import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { checkFlag } from '../arithmetic/checkScalar.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import { type AdamOptions, adamNames, scaleByAdam } from '../rescalings/scaleByAdam.js'
import {
  type OptimisticOptions,
  optimisticNames,
  scaleByOptimisticGradient,
} from '../rescalings/scaleByOptimisticGradient.js'
import type { GradientTransformation, State } from '../transformation.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'

/** Optimistic Adam with a learning rate. */
export interface OptimisticAdamV2Options extends AdamOptions, OptimisticOptions {
  readonly learningRate: LearningRate
  /** Default: true, other than `adam`'s. */
  readonly nesterov?: boolean
}

const names: OptionTable<OptimisticAdamV2Options> = {
  learningRate: 'required',
  ...adamNames,
  ...optimisticNames,
}

/**
 * Adam whose updates look ahead by the last difference: `chain(scaleByAdam, scaleByOptimisticGradient, scaleByLearningRate)`.
 *
 * Source    Training GANs with optimism, arXiv:1711.00141
 *
 * @example optimisticAdamV2({ learningRate: 0.1 }).init([tensor([1])])[1].isInitialStep // true
 */
export function optimisticAdamV2(options: OptimisticAdamV2Options): GradientTransformation<readonly State[]> {
  checkOptions('optimisticAdamV2', options, names)
  checkFlag('optimisticAdamV2', 'nesterov', options.nesterov)
  return chain(
    scaleByAdam({ nesterov: true, ...chosen(options, adamNames) }),
    scaleByOptimisticGradient(chosen(options, optimisticNames)),
    scaleByLearningRate(options.learningRate, chosen(options, arithmeticNames)),
  )
}
