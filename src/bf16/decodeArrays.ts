import { checkCodes, outFloat32For, settled } from './outArray.js'

// As many elements as are still in the cache when they are touched for the second time.
const block = 65536

/**
 * Decodes an array of bfloat16 codes to float32 values; `formats.decode` decodes one code of any format.
 *
 * Shape     any length; `out` as long.
 * Dtype     Uint16Array -> Float32Array.
 * Rounding  none, the values are exact.
 * Special   Inf, NaN with its payload and the sign of zero are kept.
 * Error     none.
 * Throws    TypeError for other arrays; RangeError for `out` of another length.
 * Cost      two passes of memory moves; allocates the result only, not even that with `out`.
 * Source    none
 *
 * @example decode(Uint16Array.of(0x3f81)) // [1.0078125]
 */
export function decode(codes: Uint16Array, out?: Float32Array): Float32Array {
  checkCodes('decode', codes)
  const result = outFloat32For('decode', codes.length, out)
  const source = settled(codes, result)
  const { length } = source
  // A code is the upper half of its float32. The engine's own loops beat any written here: `set` widens the codes
  // into the lower halves, then a move by two bytes makes them upper ones (little-endian, as all typed arrays met
  // today are); `out[i] = code << 16` in a loop takes three times as long: npm run bench:speed.
  const words = new Uint32Array(result.buffer, result.byteOffset, length)
  const halves = new Uint16Array(result.buffer, result.byteOffset, 2 * length)
  for (let start = 0; start < length; start += block) {
    const end = Math.min(start + block, length)
    words.set(source.subarray(start, end), start)
    halves.copyWithin(2 * start + 1, 2 * start, 2 * end - 1)
    halves[2 * start] = 0
  }
  return result
}
