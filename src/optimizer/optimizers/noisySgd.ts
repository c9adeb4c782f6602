import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import type { GradientTransformation, State } from '../transformation.js'
import { type AddNoiseOptions, addNoise, addNoiseNames } from '../transforms/addNoise.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'

/** Descent with noise; eta is 0.01 and gamma 0.55 by default. */
export interface NoisySgdOptions extends Pick<AddNoiseOptions, 'key' | 'arithmetic'> {
  readonly learningRate: LearningRate
  /** The variance of the first step's noise. Default: 0.01. */
  readonly eta?: number
  /** How fast it falls. Default: 0.55. */
  readonly gamma?: number
}

const names: OptionTable<NoisySgdOptions> = {
  ...addNoiseNames,
  learningRate: 'required',
  eta: 'optional',
  gamma: 'optional',
}

/**
 * Gradient descent with noise: `chain(addNoise, scaleByLearningRate)`.
 *
 * Source    Adding gradient noise improves learning for very deep networks, arXiv:1511.06807
 *
 * @example noisySgd({ learningRate: 0.1, key: 0 }).init([tensor([1])]).length // 2
 */
export function noisySgd(options: NoisySgdOptions): GradientTransformation<readonly State[]> {
  checkOptions('noisySgd', options, names)
  return chain(
    addNoise({ eta: 0.01, gamma: 0.55, ...chosen(options, addNoiseNames) }),
    scaleByLearningRate(options.learningRate, chosen(options, arithmeticNames)),
  )
}
