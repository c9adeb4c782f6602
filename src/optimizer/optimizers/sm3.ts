import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { type ArithmeticOption, arithmeticNames } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { chosen } from '../arithmetic/chosen.js'
import type { Scalar } from '../arithmetic/operand.js'
import { chain } from '../chain.js'
import { scaleBySm3 } from '../rescalings/scaleBySm3.js'
import type { GradientTransformation, State } from '../transformation.js'
import { scale } from '../transforms/scale.js'

/** SM3 with a learning rate. */
export interface Sm3Options extends ArithmeticOption {
  readonly learningRate: number
  /** Decay of the momentum. Default: 0.9. */
  readonly momentum?: Scalar
}

const names: OptionTable<Sm3Options> = {
  learningRate: 'required',
  momentum: 'optional',
  ...arithmeticNames,
}

/**
 * SM3: `chain(scaleBySm3, scale(-learningRate))`.
 *
 * Source    Memory-efficient adaptive optimization, arXiv:1901.11150
 *
 * @example sm3({ learningRate: 0.1 }).init([tensor([1])]).length // 2
 */
export function sm3(options: Sm3Options): GradientTransformation<readonly State[]> {
  checkOptions('sm3', options, names)
  const { learningRate, momentum = 0.9 } = options
  checkScalar('sm3', 'learningRate', learningRate)
  const exact = chosen(options, arithmeticNames)
  return chain(scaleBySm3({ ...exact, b1: momentum }), scale(-learningRate, exact))
}
