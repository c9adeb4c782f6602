// Saved states of runs: a folder for each step, written atomically in a thread during the run; and
// models in the layout of Hugging Face. Needs Node. Read checkpointRecord.ts first,
// what checkpoint.json says, then writeFiles.ts.
export { type Checkpoints, type CheckpointsOptions, openCheckpoints } from './openCheckpoints.js'
export type { CheckpointContent } from './stage.js'
export type { PlainData } from './plainData.js'
export { best, type BestOptions, type CheckpointFacts, every, type KeepRule, latest } from './keep.js'
export { type ListedCheckpoint, listCheckpoints } from './listCheckpoints.js'
export {
  type CastNote,
  type HostPart,
  readCheckpoint,
  type ReadCheckpointOptions,
  type RestoredCheckpoint,
} from './readCheckpoint.js'
export { writeCheckpoint, type WriteCheckpointOptions } from './writeCheckpoint.js'
export type { HostGroup } from './exchange.js'
export { hostRows, type Rows } from './hostRows.js'
export { type ModelOptions, writeModel } from './writeModel.js'
export { readModel, type ReadModelOptions } from './readModel.js'
