import { decodeNpy, decodeSafetensors } from 'tpu-toolkit/files'
import type { StoredArray } from '#feeding'
import { zipEntries } from './zipEntries.js'

/** The arrays of a .safetensors, .npz or .npy file by their names; of an .npy one without a name, `arg0`. */
export async function storedArrays(name: string, data: Blob): Promise<Readonly<Record<string, StoredArray>>> {
  const bytes = new Uint8Array(await data.arrayBuffer())
  if (name.endsWith('.safetensors')) return decodeSafetensors(bytes, { integers: 'bigint' }).tensors
  if (name.endsWith('.npy')) return { arg0: decodeNpy(bytes, { integers: 'bigint' }) }
  const arrays: Record<string, StoredArray> = {}
  for (const entry of await zipEntries(bytes)) {
    arrays[entry.name.replace(/\.npy$/, '')] = decodeNpy(entry.bytes, { integers: 'bigint' })
  }
  return arrays
}
