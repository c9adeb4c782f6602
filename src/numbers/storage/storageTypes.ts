import { checkName } from '../../base/options/index.js'
import { legacyTypes } from './legacyTypes.js'
import type { StorageName, StorageType } from './storageType.js'
import { superBlockTypes } from './superBlockTypes.js'
import { tableTypes } from './tableTypes.js'

const all: readonly StorageType[] = [...legacyTypes, ...superBlockTypes, ...tableTypes].map(
  Object.freeze,
) as never

/**
 * The names of the storage formats: ggml's first types, its types with super-blocks, those with tables, bitsandbytes'.
 *
 * @example storageNames.slice(0, 5) // ['q4_0', 'q4_1', 'q5_0', 'q5_1', 'q8_0']
 */
export const storageNames: readonly StorageName[] = Object.freeze(all.map(({ name }) => name as StorageName))

/**
 * The record of a storage format: how many numbers a block has, how many bytes it takes.
 *
 * Throws  RangeError for an unknown name.
 *
 * @example storageType('q4_k').blockSize // 256
 * @example (8 * storageType('q4_k').blockBytes) / storageType('q4_k').blockSize // 4.5
 * @example storageType('q4_0').family // GGUF
 */
export function storageType(name: StorageName): StorageType {
  return typeOf('storageType', name)
}

/** The record of a name, in another function's words. */
export function typeOf(op: string, name: StorageName): StorageType {
  checkName(op, 'storage format', name, storageNames)
  return all[storageNames.indexOf(name)]!
}
