import { checkOptions, noOptions, type OptionTable } from '../../base/options/index.js'
import { type Key, keyWords } from '../../numbers/threefry/index.js'
import { checkCount, destination } from './destination.js'

/** Options of `bits`. */
export interface BitsOptions {
  /** Bits per element. Default 32. */
  width?: 8 | 16 | 32
  /** Where to write, of length n and the type that belongs to width. Default: a new array. */
  out?: Uint8Array | Uint16Array | Uint32Array
}

const bitsNames: OptionTable<BitsOptions> = { width: 'optional', out: 'optional' }

/**
 * n uniform unsigned integers, equal to jax.random.bits. Widths 8 and 16 are the low bits of the 32.
 *
 * Shape     [n]; n = 0 gives an empty array; element i does not depend on n.
 * Cost      80 integer operations an element; allocates the result, for widths 8 and 16 also 4 n bytes.
 * Source    jax 0.10.2, threefry2x32 with jax_threefry_partitionable: element i is a ^ b of counter (0, i)
 *
 * @example bits(key(0), 2) // 4070199207,4202968722
 */
export function bits(key: Key, n: number, options?: { width?: 32; out?: Uint32Array }): Uint32Array
export function bits(key: Key, n: number, options: { width: 16; out?: Uint16Array }): Uint16Array
export function bits(key: Key, n: number, options: { width: 8; out?: Uint8Array }): Uint8Array
export function bits(key: Key, n: number, options?: BitsOptions): Uint8Array | Uint16Array | Uint32Array
export function bits(
  key: Key,
  n: number,
  options: BitsOptions = noOptions,
): Uint8Array | Uint16Array | Uint32Array {
  checkOptions('bits', options, bitsNames, { positional: 'width' })
  const { width = 32, out } = options
  checkCount('bits', n)
  if (width === 32) {
    const words = destination('bits', n, Uint32Array, out)
    fillWords('bits', key, words)
    return words
  }
  if (width !== 16 && width !== 8) throw new RangeError(`bits: width is not 8, 16 or 32 [${String(width)}]`)
  const narrow =
    width === 16 ? destination('bits', n, Uint16Array, out) : destination('bits', n, Uint8Array, out)
  const words = new Uint32Array(n)
  fillWords('bits', key, words)
  narrow.set(words)
  return narrow
}

/**
 * Fills `out` with the words of counters start, start + 1, ... (all below 2^32). `threefry2x32` unrolled without
 * an array or a call per element; a test holds the two equal.
 */
export function fillWords(op: string, key: Key, out: Uint32Array, start = 0): void {
  const words = keyWords(op, key)
  const k0 = words[0] | 0
  const k1 = words[1] | 0
  const k2 = k0 ^ k1 ^ 0x1bd11bda
  const n = out.length
  for (let i = 0; i < n; i++) {
    let a = k0
    let b = (k1 + start + i) | 0
    a = (a + b) | 0
    b = ((b << 13) | (b >>> 19)) ^ a
    a = (a + b) | 0
    b = ((b << 15) | (b >>> 17)) ^ a
    a = (a + b) | 0
    b = ((b << 26) | (b >>> 6)) ^ a
    a = (a + b) | 0
    b = ((b << 6) | (b >>> 26)) ^ a
    a = (a + k1) | 0
    b = (b + k2 + 1) | 0
    a = (a + b) | 0
    b = ((b << 17) | (b >>> 15)) ^ a
    a = (a + b) | 0
    b = ((b << 29) | (b >>> 3)) ^ a
    a = (a + b) | 0
    b = ((b << 16) | (b >>> 16)) ^ a
    a = (a + b) | 0
    b = ((b << 24) | (b >>> 8)) ^ a
    a = (a + k2) | 0
    b = (b + k0 + 2) | 0
    a = (a + b) | 0
    b = ((b << 13) | (b >>> 19)) ^ a
    a = (a + b) | 0
    b = ((b << 15) | (b >>> 17)) ^ a
    a = (a + b) | 0
    b = ((b << 26) | (b >>> 6)) ^ a
    a = (a + b) | 0
    b = ((b << 6) | (b >>> 26)) ^ a
    a = (a + k0) | 0
    b = (b + k1 + 3) | 0
    a = (a + b) | 0
    b = ((b << 17) | (b >>> 15)) ^ a
    a = (a + b) | 0
    b = ((b << 29) | (b >>> 3)) ^ a
    a = (a + b) | 0
    b = ((b << 16) | (b >>> 16)) ^ a
    a = (a + b) | 0
    b = ((b << 24) | (b >>> 8)) ^ a
    a = (a + k1) | 0
    b = (b + k2 + 4) | 0
    a = (a + b) | 0
    b = ((b << 13) | (b >>> 19)) ^ a
    a = (a + b) | 0
    b = ((b << 15) | (b >>> 17)) ^ a
    a = (a + b) | 0
    b = ((b << 26) | (b >>> 6)) ^ a
    a = (a + b) | 0
    b = ((b << 6) | (b >>> 26)) ^ a
    out[i] = (a + k2) ^ (b + k0 + 5)
  }
}
