import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import type { GradientTransformation, State } from '../transformation.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import { type PolyakOptions, polyakNames, scaleByPolyak } from './scaleByPolyak.js'

/** Descent by Polyak's step. */
export interface PolyakSgdOptions extends PolyakOptions {
  /** What gradients are multiplied by before, or its schedule. Default: 1. */
  readonly scaling?: LearningRate
}

const names: OptionTable<PolyakSgdOptions> = { scaling: 'optional', ...polyakNames }

/**
 * Gradient descent by Polyak's step: `chain(scaleByLearningRate(scaling), scaleByPolyak)`.
 *
 * Source    Stochastic Polyak step-size for SGD, arXiv:2002.10542
 *
 * @example polyakSgd().init([tensor([1])]).length // 2
 */
export function polyakSgd(options: PolyakSgdOptions = {}): GradientTransformation<readonly State[]> {
  checkOptions('polyakSgd', options, names)
  return chain(
    scaleByLearningRate(options.scaling ?? 1, chosen(options, arithmeticNames)),
    scaleByPolyak(chosen(options, polyakNames)),
  )
}
