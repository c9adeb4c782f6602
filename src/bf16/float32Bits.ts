// Scratch for reading a float32's bits; written and read inside one expression, so it carries no state.
const value = new Float32Array(1)
const bits = new Uint32Array(value.buffer)

/** The value of a bfloat16 code, exact. */
export function valueOfCode(code: number): number {
  bits[0] = code << 16
  return value[0]!
}

/** Float32 bits rounded to a bfloat16 code, nearest even; a NaN keeps its sign and loses its payload. */
export function codeOfBits(word: number): number {
  if ((word & 0x7fffffff) > 0x7f800000) return ((word >>> 16) & 0x8000) | 0x7fc0
  return (word + 0x7fff + ((word >>> 16) & 1)) >>> 16
}

/**
 * A float64 number, whose upper word is given for its sign, rounded once to a bfloat16 code, nearest even; a NaN as `codeOfBits`. It is
 * rounded to odd in float32 first: the last bit then remembers every bit that was cut, so the rounding to bfloat16, 16 bits shorter, is
 * the only one that counts.
 */
export function codeOfFloat64(x: number, upper: number): number {
  const size = Math.abs(x)
  value[0] = size
  const near = value[0]
  let word = bits[0]! & 0x7fffffff
  if (near > size) word = (word - 1) | 1
  else if (near < size) word |= 1
  return codeOfBits((upper & 0x80000000) | word)
}

/** A result of arithmetic rounded to float32, then to a bfloat16 code; any NaN gives 0x7FC0. */
export function codeOfResult(x: number): number {
  value[0] = x
  const word = bits[0]!
  if ((word & 0x7fffffff) > 0x7f800000) return 0x7fc0
  return (word + 0x7fff + ((word >>> 16) & 1)) >>> 16
}
