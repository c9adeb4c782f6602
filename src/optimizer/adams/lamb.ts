import { checkOptions } from '../../base/options/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import { adamNames, scaleByAdam } from '../rescalings/scaleByAdam.js'
import { scaleByTrustRatio } from '../rescalings/scaleByTrustRatio.js'
import type { GradientTransformation, State } from '../transformation.js'
import { addDecayedWeights, decayNames } from '../transforms/addDecayedWeights.js'
import { scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import type { AdamwOptions } from './adamw.js'
import { adamwNames } from './adamw.js'

/** As AdamW's; eps is 1e-6 and weightDecay 0 by default. */
export type LambOptions = Omit<AdamwOptions, 'nesterov' | 'muDtype'>

const { nesterov: _, muDtype: __, ...names } = adamwNames

/**
 * LAMB: `chain(scaleByAdam, addDecayedWeights, scaleByTrustRatio, scaleByLearningRate)`.
 *
 * Source    Large batch optimization for deep learning, arXiv:1904.00962
 *
 * @example lamb({ learningRate: 1e-3 }).init([tensor([1])]).length // 4
 */
export function lamb(options: LambOptions): GradientTransformation<readonly State[]> {
  checkOptions('lamb', options, names)
  const exact = chosen(options, arithmeticNames)
  return chain(
    scaleByAdam({ ...chosen(options, adamNames), eps: options.eps ?? 1e-6 }),
    addDecayedWeights(options.weightDecay ?? 0, chosen(options, decayNames)),
    scaleByTrustRatio(exact),
    scaleByLearningRate(options.learningRate, exact),
  )
}
