// Conversions of elements at `from` to others at `to`. Counts are rounded up to a multiple of 16.

/** Truncated and saturated, NaN becomes 0. */
export function int32OfFloat32(from: usize, to: usize, count: i32): void {
  const end = to + ((count + 3) & ~3) * 4
  for (; to < end; from += 16, to += 16) v128.store(to, i32x4.trunc_sat_f32x4_s(v128.load(from)))
}

export function uint32OfFloat32(from: usize, to: usize, count: i32): void {
  const end = to + ((count + 3) & ~3) * 4
  for (; to < end; from += 16, to += 16) v128.store(to, i32x4.trunc_sat_f32x4_u(v128.load(from)))
}

export function int32OfFloat64(from: usize, to: usize, count: i32): void {
  const end = to + ((count + 3) & ~3) * 4
  for (; to < end; from += 32, to += 16) {
    const x = i32x4.trunc_sat_f64x2_s_zero(v128.load(from))
    v128.store(to, v128.shuffle<i64>(x, i32x4.trunc_sat_f64x2_s_zero(v128.load(from, 16)), 0, 2))
  }
}

export function uint32OfFloat64(from: usize, to: usize, count: i32): void {
  const end = to + ((count + 3) & ~3) * 4
  for (; to < end; from += 32, to += 16) {
    const x = i32x4.trunc_sat_f64x2_u_zero(v128.load(from))
    v128.store(to, v128.shuffle<i64>(x, i32x4.trunc_sat_f64x2_u_zero(v128.load(from, 16)), 0, 2))
  }
}

/** Four masks of 32 bits each, as bytes 0 or 1. */
// @ts-ignore: decorator
@inline
function bytes(a: v128, b: v128, c: v128, d: v128): v128 {
  const masks = i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d))
  return v128.and(masks, i8x16.splat(1))
}

/** 1 where a number is not zero, NaN included. */
export function boolOfFloat32(from: usize, to: usize, count: i32): void {
  const zero = f32x4.splat(0)
  for (const end = to + ((count + 15) & ~15); to < end; from += 64, to += 16) {
    const low = f32x4.ne(v128.load(from), zero)
    const next = f32x4.ne(v128.load(from, 16), zero)
    v128.store(
      to,
      bytes(low, next, f32x4.ne(v128.load(from, 32), zero), f32x4.ne(v128.load(from, 48), zero)),
    )
  }
}

// @ts-ignore: decorator
@inline
function nonzeroFloat64(from: usize): v128 {
  const a = f64x2.ne(v128.load(from), f64x2.splat(0))
  return v128.shuffle<i32>(a, f64x2.ne(v128.load(from, 16), f64x2.splat(0)), 0, 2, 4, 6)
}

export function boolOfFloat64(from: usize, to: usize, count: i32): void {
  for (const end = to + ((count + 15) & ~15); to < end; from += 128, to += 16) {
    v128.store(
      to,
      bytes(nonzeroFloat64(from), nonzeroFloat64(from + 32), nonzeroFloat64(from + 64), nonzeroFloat64(from + 96)),
    )
  }
}

export function boolOfInt32(from: usize, to: usize, count: i32): void {
  const zero = i32x4.splat(0)
  for (const end = to + ((count + 15) & ~15); to < end; from += 64, to += 16) {
    const low = i32x4.ne(v128.load(from), zero)
    const next = i32x4.ne(v128.load(from, 16), zero)
    v128.store(
      to,
      bytes(low, next, i32x4.ne(v128.load(from, 32), zero), i32x4.ne(v128.load(from, 48), zero)),
    )
  }
}

/** Rounded to nearest, ties to even. */
export function float32OfFloat64(from: usize, to: usize, count: i32): void {
  const end = to + ((count + 3) & ~3) * 4
  for (; to < end; from += 32, to += 16) {
    const x = f32x4.demote_f64x2_zero(v128.load(from))
    v128.store(to, v128.shuffle<i64>(x, f32x4.demote_f64x2_zero(v128.load(from, 16)), 0, 2))
  }
}
