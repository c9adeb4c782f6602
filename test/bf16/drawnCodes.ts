/** xorshift32 words from a seed: the draws of the array tests, quick enough for 2^22 of them. */
export function words(seed: number, count: number): Uint32Array {
  let s = Math.imul(seed, 0x9e3779b1) | 1
  return new Uint32Array(count).map(() => {
    s ^= s << 13
    s ^= s >>> 17
    s ^= s << 5
    return s
  })
}

/** Any bit patterns as codes: NaN, infinities, subnormals and all. */
export const anyCodes = (seed: number, count: number): Uint16Array =>
  Uint16Array.from(words(seed, count), (word) => word >>> 16)

/** Codes of either sign with exponent fields from `low` to `high`. */
export const codesBetween = (seed: number, count: number, low: number, high: number): Uint16Array =>
  Uint16Array.from(words(seed, count), (word) => {
    const exponent = low + ((word >>> 8) % (high - low + 1))
    return ((word >>> 16) & 0x8000) | (exponent << 7) | (word & 0x7f)
  })

/** Codes where rounding, overflow, underflow and the special rules change what happens, of both signs. */
export const specialCodes: readonly number[] = [
  0x0000, 0x0001, 0x0002, 0x003f, 0x0040, 0x0041, 0x007f, 0x0080, 0x0081, 0x00ff, 0x0100, 0x0180, 0x1f80,
  0x2000, 0x3e80, 0x3f00, 0x3f7f, 0x3f80, 0x3f81, 0x3fff, 0x4000, 0x4040, 0x42ff, 0x4300, 0x4380, 0x5f00,
  0x7e80, 0x7f00, 0x7f7e, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x7fff,
].flatMap((code) => [code, code | 0x8000])

/** Lengths at and around the steps of the kernels (8 and 16 elements) and the blocks (16,384 and 65,536). */
export const lengths: readonly number[] = [
  0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 16383, 16384, 16385, 32769, 65535, 65536, 65537,
]

/** The codes at an odd place of a larger buffer, so that no vector load of them is aligned. */
export function unaligned(codes: Uint16Array): Uint16Array {
  const wider = new Uint16Array(codes.length + 4)
  wider.set(codes, 3)
  return wider.subarray(3, 3 + codes.length)
}

/** Index and codes of the first difference; undefined where there is none. A failure then reads in one line. */
export function firstDifference(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
): { index: number; actual: string; expected: string } | { lengths: [number, number] } | undefined {
  if (actual.length !== expected.length) return { lengths: [actual.length, expected.length] }
  const hex = (code: number) => `0x${code.toString(16).padStart(4, '0')}`
  for (let index = 0; index < actual.length; index++) {
    if (actual[index] !== expected[index]) {
      return { index, actual: hex(actual[index]!), expected: hex(expected[index]!) }
    }
  }
  return undefined
}
