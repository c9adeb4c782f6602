// Architectures as data: exact parameters, FLOPs and bytes of every operation, activations, caches, optimizer state and the
// memory of a step. Nothing is run. Read config.ts first, then parameterCount.ts.
export {
  type ActivationOptions,
  type Activations,
  activationBytes,
  type MegatronOptions,
  megatronActivationBytes,
  type SavedArray,
} from './activations.js'
export type {
  Architecture,
  AttentionShape,
  LayerGroup,
  MlpShape,
  ParameterTensor,
  Role,
} from './architecture.js'
export { architectureOf } from './architectureOf.js'
export { type CacheOptions, cacheBytes } from './cacheBytes.js'
export type {
  DecoderConfig,
  Family,
  Gpt2Config,
  Mamba1Config,
  Mamba2Config,
  MlpConfig,
  ModelConfig,
  ParallelConfig,
} from './config.js'
export {
  estimateMemory,
  type HostParts,
  type MemoryEstimate,
  type MemoryOptions,
  type MemoryParts,
  type StageMemory,
} from './estimateMemory.js'
export { type BatchSizeOptions, findOptimalBatchSize, type OptimalBatchSize } from './findOptimalBatchSize.js'
export { modelNamed, modelNames } from './modelNamed.js'
export {
  attentionPairs,
  type Cost,
  type Operation,
  type OperationsOptions,
  operations,
} from './operations.js'
export { type ParameterUse, parameterCount, parameterTensors, parameterUse } from './parameterCount.js'
export {
  type PipelineOptions,
  type PipelineSchedule,
  type PipelineScheduleName,
  pipelineSchedule,
} from './pipelineSchedule.js'
export { type PipelineStage, type PipelineStagesOptions, pipelineStages } from './pipelineStages.js'
export { type AttentionCount, type NamedRemat, type Remat, rematText, savedNames } from './remat.js'
export type { Split, Ways } from './split.js'
export { sixND, type TrainingFlops, type TrainingFlopsOptions, trainingFlops } from './trainingFlops.js'
