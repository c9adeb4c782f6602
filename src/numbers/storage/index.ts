// Storage formats of quantised weights, blocks of codes with their scales in the bytes: GGUF's (ggml's types) and
// bitsandbytes' NF4 and FP4. Read storageType.ts first, then legacyTypes.ts, the simplest of them. Optimizer states in blocks, codes and
// scales apart: blockwise.ts.
export { fromInt8Rows, type Int8Rows, toInt8Rows } from './int8Rows.js'
export {
  type Blockwise,
  blockwiseCodes,
  type BlockwiseOptions,
  blockwiseScales,
  fromBlockwise,
  toBlockwise,
} from './blockwise.js'
export { type BlockwiseName, blockwiseNames } from './blockwiseType.js'
export { dynamicMap, type DynamicMapOptions } from './dynamicMap.js'
export type { StorageName, StorageType } from './storageType.js'
export { storageNames, storageType } from './storageTypes.js'
export { fromStorage, toStorage } from './toStorage.js'
