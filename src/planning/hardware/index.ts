// TPU generations and slices as data: peak rates, memories, links, topologies, hosts, each number with its source and with
// what other sources say. GB is 10^9, GiB 2^30. Read chipTable.ts first, then slice.ts.
export { bitsOf, type StoredDType } from './bitsOf.js'
export { type Chip, type ChipLike, chip, chipNames, chipOf } from './chip.js'
export type { ChipFacts, ChipKind, ChipName } from './chipTable.js'
export { type Fact, type Source, type SourceName, sources } from './fact.js'
export { type PeakDType, peakOpsPerSecond } from './peak.js'
export { type Slice, type SliceOptions, slice, sliceOf, smallestSlice } from './slice.js'
export { isTwistable, topologies, wrapAround } from './topology.js'
