// Tensors in files, bit for bit: safetensors, npy and npz, JSON with bits, atomic writes. Everything is synchronous. What takes
// a path needs Node and is in the rooms disk and atomic; browser.ts lists the rest, which bundlers for pages take instead.
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
export { threadFile } from './disk/threadFile.js'
export { packageVersion } from './disk/packageVersion.js'
export { jsonObject } from './jsonObject.js'
export { draftFolder, type FolderDraft, removeFolder } from './atomic/draftFolder.js'
export {
  encodeSafetensors,
  type SafetensorsOptions,
  safetensorsPieces,
} from './encodeSafetensors.js'
export {
  decodeSafetensors,
  type SafetensorsContents,
  type SafetensorsReadOptions,
} from './decodeSafetensors.js'
export { readSafetensors } from './disk/readSafetensors.js'
export { writeSafetensors } from './disk/writeSafetensors.js'
export { openSafetensors } from './disk/openSafetensors.js'
export { type SafetensorsFile, safetensorsOver } from './safetensorsOver.js'
export type { ByteSource } from './byteSource.js'
export type { SafetensorsEntry } from './parseHeader.js'
export type { StoredDType } from './storedDtype.js'
export type { BigIntegers, FileInteger, Integers } from './integers.js'
export { openGguf } from './disk/openGguf.js'
export { type GgufEntry, type GgufFile, ggufOver } from './ggufOver.js'
export type { GgufValue } from './parseGguf.js'
export { encodeNpy } from './encodeNpy.js'
export { writeNpy } from './disk/writeNpy.js'
export { decodeNpy, type NpyOptions } from './decodeNpy.js'
export { openNpy, readNpy } from './disk/openNpy.js'
export { type NpyFile, npyOver } from './npyOver.js'
export { decodeNpz, encodeNpz, type NpzOptions, type NpzWriteOptions, readNpz, writeNpz } from './disk/npz.js'
export { type JsonBitsOptions, type JsonTensor, treeFromJson, treeToJson } from './treeJson.js'
