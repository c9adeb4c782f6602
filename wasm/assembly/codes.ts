// Eight bfloat16 codes to and from two vectors of four float32, the step that every kernel shares.

/** The values of codes 0..3, as float32. */
// @ts-ignore: decorator
@inline
export function low(codes: v128): v128 {
  // Interleaved below zeros, a code is the upper half of its float32.
  return i8x16.shuffle(i32x4.splat(0), codes, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23)
}

/** The values of codes 4..7, as float32. */
// @ts-ignore: decorator
@inline
export function high(codes: v128): v128 {
  return i8x16.shuffle(i32x4.splat(0), codes, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31)
}

/** Nearest even on the upper half: add just under half a unit of it, and one more where it is odd. */
// @ts-ignore: decorator
@inline
export function rounded(x: v128): v128 {
  const odd = v128.and(i32x4.shr_u(x, 16), i32x4.splat(1))
  return i32x4.shr_u(i32x4.add(i32x4.add(x, i32x4.splat(0x7fff)), odd), 16)
}

/** Eight results of arithmetic rounded to codes; NaN becomes 0x7FC0. */
// @ts-ignore: decorator
@inline
export function codesOfResults(x: v128, y: v128): v128 {
  const codes = i16x8.narrow_i32x4_u(rounded(x), rounded(y))
  const nan = i16x8.narrow_i32x4_s(f32x4.ne(x, x), f32x4.ne(y, y))
  return v128.bitselect(i16x8.splat(0x7fc0), codes, nan)
}

/** Eight float32 rounded to codes; NaN keeps its sign and loses its payload. */
// @ts-ignore: decorator
@inline
export function codesOfValues(x: v128, y: v128): v128 {
  const codes = i16x8.narrow_i32x4_u(rounded(x), rounded(y))
  const nan = i16x8.narrow_i32x4_s(f32x4.ne(x, x), f32x4.ne(y, y))
  const upper = i16x8.narrow_i32x4_s(i32x4.shr_s(x, 16), i32x4.shr_s(y, 16))
  const quiet = v128.or(v128.and(upper, i16x8.splat(i16(0x8000))), i16x8.splat(0x7fc0))
  return v128.bitselect(quiet, codes, nan)
}
