// Rounding of float32 results, values staying float32. NaNs are canonical but for their sign, which nothing reads.

/** Where a format's record lies: five words, see `formatWords` in src/compile. */
// @ts-ignore: decorator
@inline
export function word(record: usize, index: i32): v128 {
  return v128.load32_splat(record + index * 4)
}

/** Nearest even on the upper half. A canonical NaN stays one: the half that is added never reaches its exponent. */
// @ts-ignore: decorator
@inline
export function toBfloat16(x: v128): v128 {
  const odd = v128.and(i32x4.shr_u(x, 16), i32x4.splat(1))
  return v128.and(i32x4.add(i32x4.add(x, i32x4.splat(0x7fff)), odd), i32x4.splat(0xffff0000))
}

/**
 * Nearest even to a narrower format: adding and taking away 1.5 * 2^(24 - p) units of the value's binade leaves p bits.
 * `least` is the smallest exponent's bits, `factor` 1.5 * 2^(24 - p), `cut` twice the largest binade, `most` the largest value,
 * `beyond` what stands for larger ones, `signs` the sign bit where the format has -0.
 */
// @ts-ignore: decorator
@inline
export function toFormat(x: v128, least: v128, factor: v128, cut: v128, most: v128, beyond: v128, signs: v128): v128 {
  const sign = v128.and(x, i32x4.splat(0x80000000))
  // NaN is kept: pmin gives its first operand unless the second is smaller.
  const size = f32x4.pmin(v128.and(x, i32x4.splat(0x7fffffff)), cut)
  const binade = i32x4.max_s(v128.and(size, i32x4.splat(0x7f800000)), least)
  const magic = f32x4.mul(factor, binade)
  const near = f32x4.sub(f32x4.add(size, magic), magic)
  const bounded = v128.bitselect(beyond, near, f32x4.gt(near, most))
  // A zero of a format without -0 is +0: its sign is dropped by `signs` being 0 there.
  const zero = f32x4.eq(bounded, f32x4.splat(0))
  return v128.or(bounded, v128.and(sign, v128.or(signs, v128.not(zero))))
}

/** Float64 pairs rounded to odd in float32, so that a second rounding to at most 22 bits is the only one. */
// @ts-ignore: decorator
@inline
export function toOdd(a: v128, b: v128): v128 {
  const low = f32x4.demote_f64x2_zero(a)
  const high = f32x4.demote_f64x2_zero(b)
  const near = i8x16.shuffle(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
  const backA = f64x2.abs(f64x2.promote_low_f32x4(low))
  const backB = f64x2.abs(f64x2.promote_low_f32x4(high))
  const sizeA = f64x2.abs(a)
  const sizeB = f64x2.abs(b)
  const above = lower(f64x2.gt(backA, sizeA), f64x2.gt(backB, sizeB))
  const below = lower(f64x2.lt(backA, sizeA), f64x2.lt(backB, sizeB))
  return v128.or(i32x4.add(near, above), i32x4.shr_u(v128.or(above, below), 31))
}

// @ts-ignore: decorator
@inline
function lower(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
}

/** One float64 rounded to float32, bfloat16 or a format, as float32. */
export function roundOne(x: f64, rounding: i32, record: usize): f32 {
  if (rounding == 0) return f32(x)
  const odd = toOdd(f64x2.splat(x), f64x2.splat(x))
  const near =
    rounding == 1
      ? toBfloat16(odd)
      : toFormat(odd, word(record, 0), word(record, 1), word(record, 2), word(record, 3), word(record, 4), word(record, 5))
  return f32x4.extract_lane(near, 0)
}

/** One float32 rounded to bfloat16 or a format. */
// @ts-ignore: decorator
@inline
export function roundStep(x: f32, rounding: i32, record: usize): f32 {
  if (rounding == 0) return x
  if (rounding == 1) {
    const u = reinterpret<u32>(x)
    return reinterpret<f32>((u + 0x7fff + ((u >> 16) & 1)) & 0xffff0000)
  }
  const near = toFormat(
    f32x4.splat(x),
    word(record, 0),
    word(record, 1),
    word(record, 2),
    word(record, 3),
    word(record, 4),
    word(record, 5),
  )
  return f32x4.extract_lane(near, 0)
}
