import { checkOptions, type OptionTable } from '../../base/options/index.js'
import type { FloatDType } from '../../tensors/tensor/index.js'
import { type ArithmeticOption, arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import type { Scalar } from '../arithmetic/operand.js'
import { chain } from '../chain.js'
import { scaleBySign } from '../rescalings/scaleBySign.js'
import type { GradientTransformation, State } from '../transformation.js'
import { ema } from '../transforms/ema.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'

/** Descent by the signs of a running mean. */
export interface SignumOptions extends ArithmeticOption {
  readonly learningRate: LearningRate
  /** Decay of the running mean. Default .9. */
  readonly beta?: Scalar
  /** The dtype in which the mean is kept. Default: that of the parameters. */
  readonly accumulatorDtype?: FloatDType
}

const names: OptionTable<SignumOptions> = {
  learningRate: 'required',
  beta: 'optional',
  accumulatorDtype: 'optional',
  ...arithmeticNames,
}

/**
 * Descent by the signs of a running mean of gradients: `chain(ema, scaleBySign, scaleByLearningRate)`. The mean is not
 * corrected for its start, which changes no sign.
 *
 * Source    signSGD, arXiv:1802.04434; Deconstructing what makes a good optimizer, arXiv:2407.07972
 *
 * @example tree.leavesOf(signum({ learningRate: 0.5 }).update([tensor([3])], signum({ learningRate: 0.5 }).init([tensor([0])]))[0])[0].item() // -0.5
 */
export function signum(options: SignumOptions): GradientTransformation<readonly State[]> {
  checkOptions('signum', options, names)
  const { learningRate, beta = 0.9, accumulatorDtype } = options
  const exact = chosen(options, arithmeticNames)
  const kept = accumulatorDtype === undefined ? {} : { accumulatorDtype }
  return chain(
    ema(beta, { debias: false, ...kept, ...exact }),
    scaleBySign(exact),
    scaleByLearningRate(learningRate, exact),
  )
}
