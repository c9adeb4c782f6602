import { checkOptions } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import { type RpropOptions, rpropNames, scaleByRprop } from '../rescalings/scaleByRprop.js'
import type { GradientTransformation, State } from '../transformation.js'
import { scale } from '../transforms/scale.js'

/**
 * Rprop, for whole batches: `chain(scaleByRprop, scale(-1))`.
 *
 * Source    A direct adaptive method for faster backpropagation learning, ICNN 1993, doi:10.1109/ICNN.1993.298623
 *
 * @example rprop({ learningRate: 1e-3 }).init([tensor([1])]).length // 2
 */
export function rprop(options: RpropOptions): GradientTransformation<readonly State[]> {
  checkOptions('rprop', options, rpropNames)
  return chain(scaleByRprop(options), scale(-1, chosen(options, arithmeticNames)))
}
