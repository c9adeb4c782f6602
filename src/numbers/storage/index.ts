// Storage formats of quantised weights, blocks of codes with their scales in the bytes: GGUF's (ggml's types) and
// bitsandbytes' NF4 and FP4. Read storageType.ts first, then legacyTypes.ts, the simplest of them.
export { fromInt8Rows, type Int8Rows, toInt8Rows } from './int8Rows.js'
export type { StorageName, StorageType } from './storageType.js'
export { storageNames, storageType } from './storageTypes.js'
export { fromStorage, toStorage } from './toStorage.js'
