// Data on its way to a training loop, the same in every run: order, shards, transforms in workers, batches, resume.
// Needs Node. Read order/hostShare.ts first (who gets which record), then streamState.ts, joinStates.ts beside it, and load/dataLoader.ts.
export { hashSplit, type HashSplitOptions } from './order/hashSplit.js'
export { type FileRange, type Host, shardFiles, shardRange, shardRecords } from './order/shard.js'
export { type IndexPermutation, indexPermutation } from './order/indexPermutation.js'
export { type IndexSampler, indexSampler, type SamplerOptions } from './order/indexSampler.js'
export { arraySource, concatSources, type DataSource, sliceSource } from './source/dataSource.js'
export { type BatchOptions, type Pipeline, pipeline } from './load/pipeline.js'
export {
  BaseTransform,
  fromModule,
  type ModuleTransform,
  type RecordFunction,
} from './transform/transform.js'
export type { RecordContext } from './transform/recordContext.js'
export { type Batch, collate } from './load/collate.js'
export type { DataLoader, LoadOptions } from './load/dataLoader.js'
export { type HostState, type JoinOptions, joinStates } from './order/joinStates.js'
export type { StreamState } from './order/streamState.js'
export type { Deal } from './order/hostShare.js'
export { type CsvOptions, type CsvRow, openCsv } from './source/openCsv.js'
export { openJsonl } from './source/openJsonl.js'
export { openArrow } from './arrow/openArrow.js'
export { npyRows, safetensorsRows, tensorRows } from './source/tensorRows.js'
export { type AppendOptions, appendRecords, writeRecords } from './records/writeRecords.js'
export type { RecordOptions } from './records/recordBlocks.js'
export { openRecords, type OpenRecordsOptions } from './records/openRecords.js'
export { loadShardsFromManifest, type Shard } from './source/loadShardsFromManifest.js'
export { type Clock, type DeviceLoader, type DeviceOptions, toDeviceAsync } from './device/toDeviceAsync.js'
export {
  type TextOptions,
  type TimelineEvent,
  type TimelineLane,
  type TimelineSummary,
  timelineSummary,
  timelineText,
} from './device/timeline.js'
