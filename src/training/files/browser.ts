// The names of index.ts that run anywhere. Written by `npm run doors`; do not edit by hand.
export { jsonObject } from './jsonObject.js'
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
export { type SafetensorsFile, safetensorsOver } from './safetensorsOver.js'
export type { ByteSource } from './byteSource.js'
export type { SafetensorsEntry } from './parseHeader.js'
export type { StoredDType } from './storedDtype.js'
export type { BigIntegers, FileInteger, Integers } from './integers.js'
export { type GgufEntry, type GgufFile, ggufOver } from './ggufOver.js'
export type { GgufValue } from './parseGguf.js'
export { encodeNpy } from './encodeNpy.js'
export { decodeNpy, type NpyOptions } from './decodeNpy.js'
export { type NpyFile, npyOver } from './npyOver.js'
export { type JsonBitsOptions, type JsonTensor, treeFromJson, treeToJson } from './treeJson.js'
