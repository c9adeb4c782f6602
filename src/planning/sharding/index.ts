// Meshes of devices, and how arrays are split over them: jax.sharding's semantics as plain data. Read mesh.ts and spec.ts
// first, then deviceSlices.ts; createMesh.ts puts the devices of a slice in the order of its torus.

export { type Coordinates, type DeviceGrid, type Mesh, type MeshOptions, mesh } from './mesh.js'
export { type CreateMeshOptions, createMesh } from './createMesh.js'
export { type ToolkitPod, toolkitPods } from './toolkitPods.js'
export type { PartitionSpec, SpecEntry } from './spec.js'
export { shardShape } from './shardShape.js'
export { type DeviceSlice, deviceSlices, type Interval } from './deviceSlices.js'
export { isEquivalent, type Sharding, shardingOf } from './sharding.js'
export { type ShardBatchOptions, type ShardedBatch, shardBatch } from './shardBatch.js'
export { type ShardRngOptions, shardRng } from './shardRng.js'
export {
  type Collective,
  type CollectiveTime,
  type CollectiveTimeOptions,
  collectiveTime,
} from './collectiveTime.js'
export {
  type ParameterSharding,
  type Strategy,
  type StrategyOptions,
  type StrategyTable,
  shardingStrategy,
  strategies,
} from './strategy.js'
export {
  type PipelineOperation,
  type PipelineTimetable,
  type PipelineTimetableOptions,
  pipelineTimetable,
} from './pipelineTimetable.js'
export { pipelineDiagram } from './pipelineDiagram.js'
export { shardTrainState } from './shardTrainState.js'
export { shardingDiagram, strategyDiagram } from './diagram.js'
