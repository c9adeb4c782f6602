import { createHash } from 'node:crypto'
import type { Tensor } from 'tpu-toolkit/tensor'

/** A reader under attack. */
export interface Reader {
  readonly name: string
  /** How its files are named, for the readers of Python. */
  readonly extension: string
  /** Files that are as they should be. */
  readonly seeds: readonly Uint8Array[]
  /** Everything that a file holds; what it throws has to begin with one of `ops`. */
  readonly read: (bytes: Uint8Array) => unknown
  readonly ops: readonly string[]
  /** The same file with its checksums made right. */
  readonly repair?: (bytes: Uint8Array) => Uint8Array
}

/** Tensors as what any reader can say of them: not the dtype, which NumPy has no name for where it is one of ml_dtypes. */
export function digests(tensors: Readonly<Record<string, Tensor>>): unknown {
  return Object.entries(tensors)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, x]) => [name, [...x.shape], sha(bytesOf(x))])
}

const bytesOf = (x: Tensor): Uint8Array => new Uint8Array(x.data.buffer, x.data.byteOffset, x.data.byteLength)
const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16)
