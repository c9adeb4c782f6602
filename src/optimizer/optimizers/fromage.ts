import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { type ArithmeticOption, arithmeticNames } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import { scaleByTrustRatio } from '../rescalings/scaleByTrustRatio.js'
import type { GradientTransformation, State } from '../transformation.js'
import { addDecayedWeights } from '../transforms/addDecayedWeights.js'
import { scaleByLearningRate } from '../transforms/scaleByLearningRate.js'

/** Fromage. */
export interface FromageOptions extends ArithmeticOption {
  readonly learningRate: number
  /** The smallest norm that parameters and gradients count as. Default: 1e-6. */
  readonly minNorm?: number
}

const names: OptionTable<FromageOptions> = {
  learningRate: 'required',
  minNorm: 'optional',
  ...arithmeticNames,
}

/**
 * Fromage, Frobenius matched gradient descent: with c = 1 / sqrt(1 + learningRate^2), `chain(scaleByTrustRatio,
 * scaleByLearningRate(c learningRate), addDecayedWeights(c - 1))`: every leaf turns by one angle and keeps its norm.
 *
 * Source    On the distance between two neural networks and the stability of learning, arXiv:2002.03432
 *
 * @example fromage({ learningRate: 0.1 }).init([tensor([1])]).length // 3
 */
export function fromage(options: FromageOptions): GradientTransformation<readonly State[]> {
  checkOptions('fromage', options, names)
  const { learningRate, minNorm = 1e-6 } = options
  checkScalar('fromage', 'learningRate', learningRate)
  const exact = chosen(options, arithmeticNames)
  const shrink = 1 / (1 + learningRate ** 2) ** 0.5
  return chain(
    scaleByTrustRatio({ ...exact, minNorm }),
    scaleByLearningRate(learningRate * shrink, exact),
    addDecayedWeights(shrink - 1, exact),
  )
}
