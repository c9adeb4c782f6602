import { createHash } from 'node:crypto'
import { Tensor } from '../../../tensors/tensor/index.js'
import type { OpenFile } from './openFile.js'

/** So many bytes at each end of a file, and so many records of a list, tell it from others. */
const endBytes = 65_536
const samples = 16

/** The beginning of a digest of these parts. */
export function fingerprintOf(...parts: readonly (string | number | Uint8Array | undefined)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) {
    const bytes = part instanceof Uint8Array ? part : Buffer.from(String(part))
    hash.update(`${bytes.length} `).update(bytes)
  }
  return hash.digest('hex').slice(0, 16)
}

/** Of a file: its size, and the bytes at both of its ends. */
export async function fileFingerprint(file: OpenFile): Promise<string> {
  const n = Math.min(file.size, endBytes)
  return fingerprintOf('file', file.size, await file.read(0, n), await file.read(file.size - n, n))
}

/** The same of bytes in memory. */
export function bytesFingerprint(bytes: Uint8Array): string {
  return fingerprintOf('file', bytes.length, bytes.subarray(0, endBytes), bytes.subarray(-endBytes))
}

/** Of a tensor: dtype, shape, and the bytes at both ends. */
export function tensorFingerprint({ dtype, shape, data }: Tensor): string {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  return fingerprintOf(dtype, shape.join(), bytes.subarray(0, endBytes), bytes.subarray(-endBytes))
}

/** Of a list: how long it is, and some of its records, as far as they are numbers, text, tensors, and lists and objects of them. */
export function listFingerprint(records: ArrayLike<unknown>): string {
  const n = records.length
  const chosen = Array.from({ length: Math.min(n, samples) }, (_, i) =>
    textOf(records[Math.floor((i * n) / Math.min(n, samples))], 3),
  )
  return fingerprintOf('list', n, ...chosen)
}

function textOf(value: unknown, depth: number): string {
  if (value instanceof Tensor) return tensorFingerprint(value)
  if (ArrayBuffer.isView(value)) {
    return bytesFingerprint(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
  }
  if (typeof value === 'function' || typeof value === 'symbol') return typeof value
  if (typeof value !== 'object' || value === null) return `${typeof value} ${String(value)}`
  if (depth === 0) return 'deep'
  const entries = Object.entries(value).slice(0, 100)
  return `{${entries.map(([key, item]) => `${key}: ${textOf(item, depth - 1)}`).join(', ')}}`
}
