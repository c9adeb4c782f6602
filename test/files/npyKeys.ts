import { readFileSync } from 'node:fs'
import type { DType, Tensor } from 'tpu-toolkit/tensor'
import { bitsIn } from './trees.js'

/** An array of a key: every element's bits as a hexadecimal number, in row-major order. */
export interface ArrayKey {
  readonly dtype: DType
  readonly shape: readonly number[]
  readonly bits: string
}

interface Keys {
  readonly npy: readonly (ArrayKey & { case: string; hex: string; numpy_loads: boolean })[]
  readonly npz: readonly { case: string; hex: string; arrays: Readonly<Record<string, ArrayKey>> }[]
  readonly foreign: readonly { descr: string; hex: string }[]
}

/** Files that NumPy wrote, and what is in them. */
export const npyKeys: Keys = JSON.parse(
  readFileSync(new URL('../golden/files/npy.json', import.meta.url), 'utf8'),
)

/** The bytes of hexadecimal digits. */
export function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex'))
}

/** The option that says the dtype, where the file does not tell. */
export function told(dtype: DType): { dtype?: DType } {
  return bitsIn(dtype) <= 8 && dtype !== 'bool' && dtype !== 'float8_e5m2' ? { dtype } : {}
}

/** What a key says of an array, found out of a tensor. */
export function described(x: Tensor): ArrayKey {
  const digits = Math.max(2, bitsIn(x.dtype) / 4)
  const bits = Array.from<number | bigint, string>(x.toBits() as Uint8Array, (code) =>
    code.toString(16).padStart(digits, '0'),
  )
  return { dtype: x.dtype, shape: x.shape, bits: bits.join('') }
}
