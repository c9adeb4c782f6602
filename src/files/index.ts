// Tensors in files, bit for bit: safetensors, npy and npz, JSON with bits, atomic writes. Needs Node; everything is synchronous.
// Read storedDtype.ts first (which dtype is stored under which name), then parseHeader.ts, where hostile files end.
export { writeFileAtomic } from './atomic/writeFileAtomic.js'
export {
  type FileLock,
  type LockOptions,
  lockFile,
  type WaitOptions,
  waitForLock,
} from './atomic/lockFile.js'
export { writeFully } from './atomic/writeFully.js'
export { threadFile } from './threadFile.js'
export { jsonObject } from './jsonObject.js'
export { draftFolder, type FolderDraft, removeFolder } from './atomic/draftFolder.js'
export {
  encodeSafetensors,
  type SafetensorsOptions,
  safetensorsPieces,
  writeSafetensors,
} from './encodeSafetensors.js'
export {
  decodeSafetensors,
  readSafetensors,
  type SafetensorsContents,
  type SafetensorsReadOptions,
} from './decodeSafetensors.js'
export { openSafetensors } from './openSafetensors.js'
export { type SafetensorsFile, safetensorsOver } from './safetensorsOver.js'
export type { ByteSource } from './byteSource.js'
export type { SafetensorsEntry } from './parseHeader.js'
export type { StoredDType } from './storedDtype.js'
export type { BigIntegers, FileInteger, Integers } from './integers.js'
export { encodeNpy, writeNpy } from './encodeNpy.js'
export { decodeNpy, type NpyOptions } from './decodeNpy.js'
export { openNpy, readNpy } from './openNpy.js'
export { type NpyFile, npyOver } from './npyOver.js'
export { decodeNpz, encodeNpz, type NpzOptions, type NpzWriteOptions, readNpz, writeNpz } from './npz.js'
export { type JsonBitsOptions, type JsonTensor, treeFromJson, treeToJson } from './treeJson.js'
