// Arithmetic of float16 codes in float32, then one rounding: 24 >= 2 * 11 + 2 bits, and the products and quotients of
// float16 numbers are all normal float32 ones. Counts are rounded up to a multiple of 8.

export function addHalf(a: usize, b: usize, to: usize, count: i32): void {
  const end = to + ((count + 7) & ~7) * 2
  for (; to < end; a += 16, b += 16, to += 16) {
    const x = v128.load(a)
    const y = v128.load(b)
    v128.store(to, codesOf(f32x4.add(low(x), low(y)), f32x4.add(high(x), high(y))))
  }
}

export function subHalf(a: usize, b: usize, to: usize, count: i32): void {
  const end = to + ((count + 7) & ~7) * 2
  for (; to < end; a += 16, b += 16, to += 16) {
    const x = v128.load(a)
    const y = v128.load(b)
    v128.store(to, codesOf(f32x4.sub(low(x), low(y)), f32x4.sub(high(x), high(y))))
  }
}

export function mulHalf(a: usize, b: usize, to: usize, count: i32): void {
  const end = to + ((count + 7) & ~7) * 2
  for (; to < end; a += 16, b += 16, to += 16) {
    const x = v128.load(a)
    const y = v128.load(b)
    v128.store(to, codesOf(f32x4.mul(low(x), low(y)), f32x4.mul(high(x), high(y))))
  }
}

export function divHalf(a: usize, b: usize, to: usize, count: i32): void {
  const end = to + ((count + 7) & ~7) * 2
  for (; to < end; a += 16, b += 16, to += 16) {
    const x = v128.load(a)
    const y = v128.load(b)
    v128.store(to, codesOf(f32x4.div(low(x), low(y)), f32x4.div(high(x), high(y))))
  }
}

export function minHalf(a: usize, b: usize, to: usize, count: i32): void {
  const end = to + ((count + 7) & ~7) * 2
  for (; to < end; a += 16, b += 16, to += 16) {
    const x = v128.load(a)
    const y = v128.load(b)
    v128.store(to, codesOf(f32x4.min(low(x), low(y)), f32x4.min(high(x), high(y))))
  }
}

export function maxHalf(a: usize, b: usize, to: usize, count: i32): void {
  const end = to + ((count + 7) & ~7) * 2
  for (; to < end; a += 16, b += 16, to += 16) {
    const x = v128.load(a)
    const y = v128.load(b)
    v128.store(to, codesOf(f32x4.max(low(x), low(y)), f32x4.max(high(x), high(y))))
  }
}

/** The values of codes 0..3. */
// @ts-ignore: decorator
@inline
function low(codes: v128): v128 {
  return valuesOf(i32x4.extend_low_i16x8_u(codes))
}

/** The values of codes 4..7. */
// @ts-ignore: decorator
@inline
function high(codes: v128): v128 {
  return valuesOf(i32x4.extend_high_i16x8_u(codes))
}

/** The values of codes in 32 bits each. */
// @ts-ignore: decorator
@inline
export function valuesOf(codes: v128): v128 {
  const size = v128.and(codes, i32x4.splat(0x7fff))
  const bits = i32x4.add(i32x4.shl(size, 13), i32x4.splat(112 << 23))
  // Infinities and NaN go on to float32's last exponent.
  const special = v128.and(i32x4.gt_s(size, i32x4.splat(0x7bff)), i32x4.splat(112 << 23))
  // A subnormal is what is left of a number from 2^-14 on without 2^-14; of a normal number this is no less than itself.
  const subnormal = f32x4.sub(i32x4.add(bits, i32x4.splat(1 << 23)), i32x4.splat(113 << 23))
  const magnitude = i32x4.add(i32x4.min_s(bits, subnormal), special)
  return v128.or(magnitude, i32x4.shl(v128.xor(codes, size), 16))
}

/** Float32 values at `from` -> codes at `to`; NaN keeps its sign and loses its payload. */
export function float16OfFloat32(from: usize, to: usize, count: i32): void {
  const end = to + ((count + 7) & ~7) * 2
  for (; to < end; from += 32, to += 16) {
    const x = v128.load(from)
    const y = v128.load(from, 16)
    const signs = i16x8.narrow_i32x4_s(i32x4.shr_s(x, 16), i32x4.shr_s(y, 16))
    v128.store(to, v128.or(codesOf(x, y), v128.and(signs, i16x8.splat(i16(0x8000)))))
  }
}

/** Eight results rounded to codes; NaN becomes 0x7E00. */
// @ts-ignore: decorator
@inline
function codesOf(x: v128, y: v128): v128 {
  const codes = i16x8.narrow_i32x4_u(rounded(x), rounded(y))
  const nan = i16x8.narrow_i32x4_s(f32x4.ne(x, x), f32x4.ne(y, y))
  return v128.bitselect(i16x8.splat(0x7e00), codes, nan)
}

// @ts-ignore: decorator
@inline
function rounded(x: v128): v128 {
  const magnitude = v128.and(x, i32x4.splat(0x7fffffff))
  const odd = v128.and(i32x4.shr_u(x, 13), i32x4.splat(1))
  const carried = i32x4.shr_u(i32x4.add(i32x4.add(magnitude, i32x4.splat(0xfff)), odd), 13)
  const normal = i32x4.min_u(i32x4.sub(carried, i32x4.splat(112 << 10)), i32x4.splat(0x7c00))
  // The last place of 1/2 is float16's smallest number.
  const subnormal = i32x4.sub(f32x4.add(magnitude, f32x4.splat(0.5)), i32x4.splat(0x3f000000))
  const code = v128.bitselect(subnormal, normal, i32x4.lt_s(magnitude, i32x4.splat(113 << 23)))
  return v128.or(code, v128.and(i32x4.shr_u(x, 16), i32x4.splat(0x8000)))
}
