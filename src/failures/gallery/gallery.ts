import { attentionFusedExponent } from '../attentionFusedExponent.js'
import { attentionMaskedRow } from '../attentionMaskedRow.js'
import { attentionTies } from '../attentionTies.js'
import { beta2RoundsToOne } from '../beta2RoundsToOne.js'
import { clipThenZeroNans } from '../clipThenZeroNans.js'
import { covarianceLosesRank } from '../covarianceLosesRank.js'
import { decayAboveOne } from '../decayAboveOne.js'
import { decayRoundsToOne } from '../decayRoundsToOne.js'
import { emaStall } from '../emaStall.js'
import { epsUnderflow } from '../epsUnderflow.js'
import type { Failure } from '../failure.js'
import { gradientAccumulation } from '../gradientAccumulation.js'
import { logSoftmaxCollapse } from '../logSoftmaxCollapse.js'
import { lossMetricStuck } from '../lossMetricStuck.js'
import { lossScaleCollapse } from '../lossScaleCollapse.js'
import { maskAfterExp } from '../maskAfterExp.js'
import { negativeVariance } from '../negativeVariance.js'
import { neumaierStalls } from '../neumaierStalls.js'
import { onesStall } from '../onesStall.js'
import { ringAllReduce } from '../ringAllReduce.js'
import { discountRoundsToOne } from '../rl/discountRoundsToOne.js'
import { featureOfRounding } from '../rl/featureOfRounding.js'
import { gaeOfLargeValues } from '../rl/gaeOfLargeValues.js'
import { manyActionsClipped } from '../rl/manyActionsClipped.js'
import { meanOfMeans } from '../rl/meanOfMeans.js'
import { ratioStuckAtOne } from '../rl/ratioStuckAtOne.js'
import { rolloutAndLearner } from '../rl/rolloutAndLearner.js'
import { ropePositionsAlias } from '../ropePositionsAlias.js'
import { tanhReachesBound } from '../tanhReachesBound.js'
import { updateUnderHalfUlp } from '../updateUnderHalfUlp.js'

/**
 * Every failure, in reading order: sums, state-space models, the optimizer, gradients over many machines and batches,
 * attention, functions and statistics, runs that are dead, reinforcement learning.
 *
 * @example gallery[0].id // 'ones-stall'
 * @example gallery.every((failure) => failure.run().verdict.holds) // true
 */
export const gallery: readonly Failure[] = [
  onesStall,
  neumaierStalls,
  lossMetricStuck,
  decayAboveOne,
  maskAfterExp,
  decayRoundsToOne,
  epsUnderflow,
  beta2RoundsToOne,
  updateUnderHalfUlp,
  emaStall,
  gradientAccumulation,
  ringAllReduce,
  ropePositionsAlias,
  attentionTies,
  attentionMaskedRow,
  attentionFusedExponent,
  logSoftmaxCollapse,
  negativeVariance,
  covarianceLosesRank,
  tanhReachesBound,
  lossScaleCollapse,
  clipThenZeroNans,
  discountRoundsToOne,
  gaeOfLargeValues,
  ratioStuckAtOne,
  manyActionsClipped,
  rolloutAndLearner,
  meanOfMeans,
  featureOfRounding,
]
