import type { DTypeFacts } from '../../tensors/tensor/index.js'

const float64 = new Float64Array(1)
const words = new Uint32Array(float64.buffer)
const upper: number = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 1 : 0

/** floor(log2 |x|) of a finite number that is not zero. */
export function exponentOf(x: number): number {
  float64[0] = x
  const field = (words[upper]! >>> 20) & 0x7ff
  return field === 0 ? Math.floor(Math.log2(Math.abs(x))) : field - 1023
}

/** The distance between neighbours of a dtype at a number. */
export function spacing(x: number, { precision, minExponent, max }: DTypeFacts): number {
  const exponent = x === 0 ? minExponent : exponentOf(Math.min(Math.abs(x), max))
  return 2 ** (Math.max(exponent, minExponent) - precision + 1)
}
