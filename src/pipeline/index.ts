// Data on its way to a training loop, the same in every run: order, shards, transforms in workers, batches, resume.
// Needs Node. Read lane.ts first (who gets which record), then streamState.ts, joinStates.ts and dataLoader.ts.
export { hashSplit, type HashSplitOptions } from './hashSplit.js'
export { type FileRange, type Host, shardFiles, shardRange, shardRecords } from './shard.js'
export { type IndexPermutation, indexPermutation } from './indexPermutation.js'
export { type IndexSampler, indexSampler, type SamplerOptions } from './indexSampler.js'
export { arraySource, concatSources, type DataSource, sliceSource } from './dataSource.js'
export { type BatchOptions, type Pipeline, pipeline } from './pipeline.js'
export {
  BaseTransform,
  fromModule,
  type ModuleTransform,
  type RecordFunction,
} from './transform.js'
export type { RecordContext } from './recordContext.js'
export { type Batch, collate } from './collate.js'
export type { DataLoader, LoadOptions } from './dataLoader.js'
export { type HostState, type JoinOptions, joinStates } from './joinStates.js'
export type { StreamState } from './streamState.js'
export type { Deal } from './lane.js'
export { type CsvOptions, type CsvRow, openCsv } from './openCsv.js'
export { openJsonl } from './openJsonl.js'
export { openArrow } from './openArrow.js'
export { npyRows, safetensorsRows, tensorRows } from './tensorRows.js'
export { type AppendOptions, appendRecords, writeRecords } from './writeRecords.js'
export type { RecordOptions } from './recordBlocks.js'
export { openRecords, type OpenRecordsOptions } from './openRecords.js'
export { loadShardsFromManifest, type Shard } from './loadShardsFromManifest.js'
export { type Clock, type DeviceLoader, type DeviceOptions, toDeviceAsync } from './toDeviceAsync.js'
export {
  type TimelineEvent,
  type TimelineLane,
  type TimelineSummary,
  timelineSummary,
  timelineText,
} from './timeline.js'
