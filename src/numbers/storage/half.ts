import { decodeTable, encoder } from '../formats/index.js'

let values: Float32Array | undefined
let encode: ((value: number) => number) | undefined

/** The float16 at a place of little-endian bytes. */
export function halfAt(bytes: Uint8Array, place: number): number {
  values ??= decodeTable('float16')
  return values[bytes[place]! | (bytes[place + 1]! << 8)]!
}

/** Writes a number as float16, nearest even; too large ones are infinite. Gives what was written. */
export function putHalf(bytes: Uint8Array, place: number, value: number): number {
  encode ??= encoder('float16')
  const code = encode(value)
  bytes[place] = code & 255
  bytes[place + 1] = code >> 8
  return halfAt(bytes, place)
}
