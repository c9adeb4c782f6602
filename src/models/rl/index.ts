// PPO with every rounding point documented, as pure functions: a run is a function of a key, settings and an environment. Read
// ppo.ts first, then ppoUpdate.ts, ppoLoss.ts and gae.ts. It shows numerics; nothing here says anything about profit.
export { type Ppo, type PpoOptions, type PpoProgress, type PpoState, ppo } from './ppo.js'
export { type PpoSettings, type PresetName, presets } from './presets.js'
export type { PpoPrecision } from './precision.js'
export type { ActorCritic } from './actorCritic.js'
export { type TowersOptions, type TowersParameters, towers } from './towers.js'
export { loadPpo, type SavedPpo, savePpo } from './savedPpo.js'
export type { Finished, Rollout } from './rollout.js'
export {
  type Minibatch,
  type PpoStats,
  type PpoUpdate,
  type PpoUpdateOptions,
  ppoUpdate,
} from './ppoUpdate.js'
export {
  type ClipRange,
  clipRange,
  type Outputs,
  type PpoBatch,
  type PpoLoss,
  type PpoLossOptions,
  type PpoTerm,
  type PpoTerms,
  ppoLoss,
} from './ppoLoss.js'
export { type LogProbsOptions, logProbs } from './logProbs.js'
export { type GaeInput, type GaeOptions, type GaeResult, gae } from './gae.js'
export { type NormalizeOptions, normalizeAdvantages } from './normalizeAdvantages.js'
export { explainedVariance } from './explainedVariance.js'
export {
  type AccumulateGradientsOptions,
  accumulateGradients,
  type GradientPart,
} from './accumulateGradients.js'
export { mergeMoments, type RunningMoments, runningMoments } from './runningMoments.js'
export { type OrthogonalOfOptions, orthogonalOf } from './orthogonalOf.js'
export {
  type RatioLevels,
  type RatioOptions,
  type RatioReport,
  ratioLevels,
  ratioReport,
} from './ratioReport.js'
export { type SafeBatchSize, type SafeBatchSizeOptions, safeBatchSize } from './safeBatchSize.js'
export { type InSlicesOptions, inSlices } from './inSlices.js'
