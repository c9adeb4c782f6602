import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { type ArithmeticOption, arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import { scaleBySign } from '../rescalings/scaleBySign.js'
import type { GradientTransformation, State } from '../transformation.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'

/** Descent by signs. */
export interface SignSgdOptions extends ArithmeticOption {
  readonly learningRate: LearningRate
}

const names: OptionTable<SignSgdOptions> = { learningRate: 'required', ...arithmeticNames }

/**
 * Descent by the signs of gradients: `chain(scaleBySign, scaleByLearningRate)`.
 *
 * Source    signSGD, arXiv:1802.04434
 *
 * @example tree.leavesOf(signSgd({ learningRate: 0.5 }).update([tensor([3])], [{}, {}])[0])[0].item() // -0.5
 */
export function signSgd(options: SignSgdOptions): GradientTransformation<readonly State[]> {
  checkOptions('signSgd', options, names)
  const exact = chosen(options, arithmeticNames)
  return chain(scaleBySign(exact), scaleByLearningRate(options.learningRate, exact))
}
