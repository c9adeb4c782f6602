import { codesOfValues, rounded } from './codes'

/** Float32 values at `from` -> codes at `to`; count rounded up to a multiple of 16. */
export function encodeFloat32(from: usize, to: usize, count: i32): void {
  const end = to + ((count + 15) & ~15) * 2
  for (; to < end; from += 64, to += 32) {
    const a = v128.load(from)
    const b = v128.load(from, 16)
    const c = v128.load(from, 32)
    const d = v128.load(from, 48)
    // A sum with a NaN in it is NaN: one look at four sums instead of sixteen at values. Inf - Inf looks so too, and
    // only takes the longer way.
    const sums = f32x4.add(f32x4.add(a, b), f32x4.add(c, d))
    if (v128.any_true(f32x4.ne(sums, sums))) {
      v128.store(to, codesOfValues(a, b))
      v128.store(to, codesOfValues(c, d), 16)
    } else {
      v128.store(to, i16x8.narrow_i32x4_u(rounded(a), rounded(b)))
      v128.store(to, i16x8.narrow_i32x4_u(rounded(c), rounded(d)), 16)
    }
  }
}

/** Float64 values at `from` -> codes at `to`; count rounded up to a multiple of 8. */
export function encodeFloat64(from: usize, to: usize, count: i32): void {
  const end = to + ((count + 7) & ~7) * 2
  for (; to < end; from += 64, to += 16) {
    const a = v128.load(from)
    const b = v128.load(from, 16)
    const c = v128.load(from, 32)
    const d = v128.load(from, 48)
    const x = nearest(a, b)
    const y = nearest(c, d)
    const upper = i16x8.narrow_i32x4_u(i32x4.shr_u(x, 16), i32x4.shr_u(y, 16))
    const lower = i16x8.narrow_i32x4_u(lowHalf(x), lowHalf(y))
    // Rounding first to float32 goes wrong only where that lands on a tie of the second rounding. Without ties the
    // top bit of the lower half decides.
    const tie = i16x8.eq(lower, i16x8.splat(i16(0x8000)))
    const sums = f32x4.add(x, y)
    if (v128.any_true(v128.or(tie, f32x4.ne(sums, sums)))) {
      v128.store(to, codesOfValues(toOdd(a, b, x), toOdd(c, d, y)))
    } else {
      v128.store(to, i16x8.add(upper, i16x8.shr_u(lower, 15)))
    }
  }
}

// @ts-ignore: decorator
@inline
function nearest(a: v128, b: v128): v128 {
  const low = f32x4.demote_f64x2_zero(a)
  const high = f32x4.demote_f64x2_zero(b)
  return i8x16.shuffle(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
}

// @ts-ignore: decorator
@inline
function lowHalf(x: v128): v128 {
  return v128.and(x, i32x4.splat(0xffff))
}

/**
 * Four float64 rounded to odd in float32, `near` being their nearest: an odd last bit then says that bits were cut.
 * The sign is taken from the operands, since that of a demoted NaN is not defined.
 */
function toOdd(a: v128, b: v128, near: v128): v128 {
  const high = i8x16.shuffle(near, near, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15)
  const backA = f64x2.abs(f64x2.promote_low_f32x4(near))
  const backB = f64x2.abs(f64x2.promote_low_f32x4(high))
  const sizeA = f64x2.abs(a)
  const sizeB = f64x2.abs(b)
  const above = lowerWords(f64x2.gt(backA, sizeA), f64x2.gt(backB, sizeB))
  const below = lowerWords(f64x2.lt(backA, sizeA), f64x2.lt(backB, sizeB))
  const truncated = i32x4.add(near, above)
  const marked = v128.or(truncated, i32x4.shr_u(v128.or(above, below), 31))
  return v128.bitselect(upperWords(a, b), marked, i32x4.splat(0x80000000))
}

// @ts-ignore: decorator
@inline
function lowerWords(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
}

// @ts-ignore: decorator
@inline
function upperWords(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)
}
