import { beta2RoundsToOne } from './beta2RoundsToOne.js'
import { clipThenZeroNans } from './clipThenZeroNans.js'
import { codebookSizeStalls } from './codebooks/codebookSizeStalls.js'
import { fsqIndicesCollide } from './codebooks/fsqIndicesCollide.js'
import { vqWrongCodes } from './codebooks/vqWrongCodes.js'
import { covarianceLosesRank } from './covarianceLosesRank.js'
import { decayAboveOne } from './decayAboveOne.js'
import { decayRoundsToOne } from './decayRoundsToOne.js'
import { emaStall } from './emaStall.js'
import { epsUnderflow } from './epsUnderflow.js'
import { gradientAccumulation } from './gradientAccumulation.js'
import { attentionFusedExponent } from './kernels/attentionFusedExponent.js'
import { attentionMaskedRow } from './kernels/attentionMaskedRow.js'
import { attentionTies } from './kernels/attentionTies.js'
import { batchChangesRow } from './kernels/batchChangesRow.js'
import { bf16x3Low } from './kernels/bf16x3Low.js'
import { capacityDropsTokens } from './kernels/capacityDropsTokens.js'
import { fp8ScaleLate } from './kernels/fp8ScaleLate.js'
import { fp8SumsShort } from './kernels/fp8SumsShort.js'
import { layerNormFastVariance } from './kernels/layerNormFastVariance.js'
import { ropePositionsAlias } from './kernels/ropePositionsAlias.js'
import { ropeScoreDrifts } from './kernels/ropeScoreDrifts.js'
import { routerChangesExperts } from './kernels/routerChangesExperts.js'
import { servingDisagrees } from './kernels/servingDisagrees.js'
import { logSoftmaxCollapse } from './logSoftmaxCollapse.js'
import { lossMetricStuck } from './lossMetricStuck.js'
import { lossScaleCollapse } from './lossScaleCollapse.js'
import { maskAfterExp } from './maskAfterExp.js'
import { negativeVariance } from './negativeVariance.js'
import { neumaierStalls } from './neumaierStalls.js'
import { onesStall } from './onesStall.js'
import type { Failure } from './record/failure.js'
import { ringAllReduce } from './ringAllReduce.js'
import { automatonStandsStill } from './rl/automatonStandsStill.js'
import { discountRoundsToOne } from './rl/discountRoundsToOne.js'
import { featureOfRounding } from './rl/featureOfRounding.js'
import { gaeOfLargeValues } from './rl/gaeOfLargeValues.js'
import { manyActionsClipped } from './rl/manyActionsClipped.js'
import { meanOfMeans } from './rl/meanOfMeans.js'
import { ratioStuckAtOne } from './rl/ratioStuckAtOne.js'
import { rolloutAndLearner } from './rl/rolloutAndLearner.js'
import { tanhReachesBound } from './tanhReachesBound.js'
import { updateUnderHalfUlp } from './updateUnderHalfUlp.js'

/**
 * Every failure, in reading order: sums, state-space models, the optimizer, gradients over many machines and batches,
 * attention and other kernels, functions and statistics, codebooks, runs that are dead, reinforcement learning and
 * automata.
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
  ropeScoreDrifts,
  attentionTies,
  attentionMaskedRow,
  attentionFusedExponent,
  routerChangesExperts,
  capacityDropsTokens,
  layerNormFastVariance,
  fp8ScaleLate,
  fp8SumsShort,
  bf16x3Low,
  servingDisagrees,
  batchChangesRow,
  logSoftmaxCollapse,
  negativeVariance,
  covarianceLosesRank,
  vqWrongCodes,
  codebookSizeStalls,
  fsqIndicesCollide,
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
  automatonStandsStill,
]
