import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import {
  type OptimisticOptions,
  optimisticNames,
  scaleByOptimisticGradient,
} from '../rescalings/scaleByOptimisticGradient.js'
import type { GradientTransformation, State } from '../transformation.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'

/** Optimistic descent with a learning rate. */
export interface OptimisticGradientDescentOptions extends OptimisticOptions {
  readonly learningRate: LearningRate
}

const names: OptionTable<OptimisticGradientDescentOptions> = { learningRate: 'required', ...optimisticNames }

/**
 * Optimistic gradient descent, for games of two players: `chain(scaleByOptimisticGradient, scaleByLearningRate)`.
 *
 * Source    Training GANs with optimism, arXiv:1711.00141
 *
 * @example optimisticGradientDescent({ learningRate: 0.1 }).init([tensor([1])])[0].isInitialStep // true
 */
export function optimisticGradientDescent(
  options: OptimisticGradientDescentOptions,
): GradientTransformation<readonly State[]> {
  checkOptions('optimisticGradientDescent', options, names)
  return chain(
    scaleByOptimisticGradient(chosen(options, optimisticNames)),
    scaleByLearningRate(options.learningRate, chosen(options, arithmeticNames)),
  )
}
