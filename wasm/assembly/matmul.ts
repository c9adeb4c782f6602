import { codesOfResults, high, low } from './codes'
import { tile, tileExact } from './tile'

// One block of a matrix product. Packed operands are float32: the left in bands of 4 rows, [band][k][4], the right in
// panels of 8 columns, [panel][k][8]; sums are float32, [band * 4][panel * 8]. A tile is one band by one panel.
// A range is 32 bytes: 8 smallest magnitude codes that are not zero, then 8 largest that are finite (u16 each).

/** Empties `count` ranges: smallest 0x7FFF, largest 0. */
export function clearRanges(range: usize, count: i32): void {
  for (let i = 0; i < count; i++, range += 32) {
    v128.store(range, i16x8.splat(0x7fff))
    v128.store(range, i16x8.splat(0), 16)
  }
}

/** Codes [rows, k] at `from` -> bands at `to`, rows a multiple of 4; joins each band's range. */
export function packLeft(from: usize, to: usize, range: usize, rows: i32, k: i32): void {
  const line = usize(k) * 2
  for (let band = 0; band < rows; band += 4, range += 32) {
    let i = 0
    for (; i + 8 <= k; i += 8, from += 16, to += 128) {
      const r0 = v128.load(from)
      const r1 = v128.load(from + line)
      const r2 = v128.load(from + 2 * line)
      const r3 = v128.load(from + 3 * line)
      join(range, r0)
      join(range, r1)
      join(range, r2)
      join(range, r3)
      storeFour(to, zipLow(r0, r1), zipLow(r2, r3))
      storeFour(to + 64, zipHigh(r0, r1), zipHigh(r2, r3))
    }
    for (; i < k; i++, from += 2, to += 16) {
      for (let row: usize = 0; row < 4; row++) {
        const code = load<u16>(from + row * line)
        join(range, i16x8.replace_lane(i16x8.splat(0), 0, code))
        store<u32>(to + row * 4, u32(code) << 16)
      }
    }
    from += 3 * line
  }
}

/** Codes [rows, columns] at `from` -> rows first... of panels of k rows at `to`, columns a multiple of 8; joins ranges. */
export function packRight(from: usize, to: usize, range: usize, first: i32, rows: i32, k: i32, columns: i32): void {
  for (let row = first; row < first + rows; row++) {
    let target = to + row * 32
    let joined = range
    for (let column = 0; column < columns; column += 8) {
      const codes = v128.load(from)
      join(joined, codes)
      v128.store(target, low(codes))
      v128.store(target, high(codes), 16)
      from += 16
      target += k * 32
      joined += 32
    }
  }
}

/** As packLeft, of float32 values and without ranges. */
export function packLeftFloat32(from: usize, to: usize, rows: i32, k: i32): void {
  for (let band = 0; band < rows; band += 4, to += k * 16) {
    for (let row = 0; row < 4; row++) {
      for (let i = 0; i < k; i++, from += 4) store<f32>(to + (i * 4 + row) * 4, load<f32>(from))
    }
  }
}

/** As packRight, of float32 values and without ranges. */
export function packRightFloat32(from: usize, to: usize, first: i32, rows: i32, k: i32, columns: i32): void {
  for (let row = first; row < first + rows; row++) {
    let target = to + row * 32
    for (let column = 0; column < columns; column += 8, from += 32, target += k * 32) {
      v128.store(target, v128.load(from))
      v128.store(target, v128.load(from, 16), 16)
    }
  }
}

/** sums += left * right over packed operands, each product exact. Returns how many tiles took the exact way. */
export function multiply(
  left: usize,
  right: usize,
  sums: usize,
  bands: i32,
  panels: i32,
  k: i32,
  leftRange: usize,
  rightRange: usize,
): i32 {
  const stride = usize(panels) * 32
  let slow = 0
  for (let panel = 0; panel < panels; panel++) {
    const b = right + panel * k * 32
    for (let band = 0; band < bands; band++) {
      const a = left + band * k * 16
      const c = sums + usize(band) * 4 * stride + panel * 32
      if (fits(leftRange + band * 32, rightRange + panel * 32)) {
        tile(a, b, c, stride, k)
      } else {
        slow++
        tileExact(a, b, c, stride, k)
        tileExact(a, b + 16, c + 16, stride, k)
      }
    }
  }
  return slow
}

/** sums += left * right over packed operands, each product rounded to float32. */
export function multiplyFloat32(left: usize, right: usize, sums: usize, bands: i32, panels: i32, k: i32): void {
  const stride = usize(panels) * 32
  for (let panel = 0; panel < panels; panel++) {
    for (let band = 0; band < bands; band++) {
      const c = sums + usize(band) * 4 * stride + panel * 32
      tile(left + band * k * 16, right + panel * k * 32, c, stride, k)
    }
  }
}

/** As packLeft, of float64 values and without ranges: [band][k][4]. */
export function packLeftFloat64(from: usize, to: usize, rows: i32, k: i32): void {
  for (let band = 0; band < rows; band += 4, to += k * 32) {
    for (let row = 0; row < 4; row++) {
      for (let i = 0; i < k; i++, from += 8) store<f64>(to + (i * 4 + row) * 8, load<f64>(from))
    }
  }
}

/** As packRight, of float64 values, panels having 4 columns: [panel][k][4]. */
export function packRightFloat64(from: usize, to: usize, first: i32, rows: i32, k: i32, columns: i32): void {
  for (let row = first; row < first + rows; row++) {
    let target = to + row * 32
    for (let column = 0; column < columns; column += 4, from += 32, target += k * 32) {
      v128.store(target, v128.load(from))
      v128.store(target, v128.load(from, 16), 16)
    }
  }
}

/** sums += left * right over packed float64 operands, each product and each sum rounded to float64; panels of 4 columns. */
export function multiplyFloat64(left: usize, right: usize, sums: usize, bands: i32, panels: i32, k: i32): void {
  const stride = usize(panels) * 32
  for (let panel = 0; panel < panels; panel++) {
    for (let band = 0; band < bands; band++) {
      const c = sums + usize(band) * 4 * stride + panel * 32
      tileFloat64(left + band * k * 32, right + panel * k * 32, c, stride, k)
    }
  }
}

/** sums += left * right modulo 2^32, over operands packed as float32 ones are. */
export function multiplyInt32(left: usize, right: usize, sums: usize, bands: i32, panels: i32, k: i32): void {
  const stride = usize(panels) * 32
  for (let panel = 0; panel < panels; panel++) {
    for (let band = 0; band < bands; band++) {
      const c = sums + usize(band) * 4 * stride + panel * 32
      tileInt32(left + band * k * 16, right + panel * k * 32, c, stride, k)
    }
  }
}

/** Float32 sums at `from` -> codes at `to`; count a multiple of 8. */
export function encodeSums(from: usize, to: usize, count: i32): void {
  for (let i = 0; i < count; i += 8, from += 32, to += 16) {
    v128.store(to, codesOfResults(v128.load(from), v128.load(from, 16)))
  }
}

/** True where every product of the two ranges is exact in float32, so that multiplying and adding is the fused step. */
function fits(left: usize, right: usize): bool {
  // A code with exponent field e (1 for subnormals) is below 2^(e-126) and a multiple of 2^(e-134), so products are
  // below 2^(ea+eb-252) and multiples of 2^(ea+eb-268); float32 has 2^128 and 2^-149.
  const top = exponentOf(most(left)) + exponentOf(most(right))
  const bottom = exponentOf(least(left)) + exponentOf(least(right))
  return top <= 380 && bottom >= 119
}

// @ts-ignore: decorator
@inline
function exponentOf(size: i32): i32 {
  return max(size >> 7, 1)
}

function least(range: usize): i32 {
  let value = i32(load<u16>(range))
  for (let i: usize = 2; i < 16; i += 2) value = min(value, i32(load<u16>(range + i)))
  return value
}

function most(range: usize): i32 {
  let value = i32(load<u16>(range, 16))
  for (let i: usize = 2; i < 16; i += 2) value = max(value, i32(load<u16>(range + i, 16)))
  return value
}

/** Joins eight codes to a range; zeros, infinities and NaN multiply alike in every type and do not count. */
// @ts-ignore: decorator
@inline
function join(range: usize, codes: v128): void {
  const size = v128.and(codes, i16x8.splat(0x7fff))
  const zero = v128.and(i16x8.eq(size, i16x8.splat(0)), i16x8.splat(0x7fff))
  v128.store(range, i16x8.min_s(v128.load(range), v128.or(size, zero)))
  const finite = v128.andnot(size, i16x8.gt_s(size, i16x8.splat(0x7f7f)))
  v128.store(range, i16x8.max_s(v128.load(range, 16), finite), 16)
}

// @ts-ignore: decorator
@inline
function zipLow(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23)
}

// @ts-ignore: decorator
@inline
function zipHigh(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31)
}

/** Four rows of four codes, zipped in pairs, as 16 float32. */
// @ts-ignore: decorator
@inline
function storeFour(to: usize, rows01: v128, rows23: v128): void {
  const first = i8x16.shuffle(rows01, rows23, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23)
  const second = i8x16.shuffle(rows01, rows23, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31)
  v128.store(to, low(first))
  v128.store(to, high(first), 16)
  v128.store(to, low(second), 32)
  v128.store(to, high(second), 48)
}

/** One tile of 4 columns, k ascending; each product and each sum rounded to float64. */
function tileFloat64(a: usize, b: usize, c: usize, stride: usize, k: i32): void {
  const c1 = c + stride
  const c2 = c1 + stride
  const c3 = c2 + stride
  let s00 = v128.load(c)
  let s01 = v128.load(c, 16)
  let s10 = v128.load(c1)
  let s11 = v128.load(c1, 16)
  let s20 = v128.load(c2)
  let s21 = v128.load(c2, 16)
  let s30 = v128.load(c3)
  let s31 = v128.load(c3, 16)
  const end = a + usize(k) * 32
  while (a < end) {
    const x = v128.load(b)
    const y = v128.load(b, 16)
    const a0 = v128.load64_splat(a)
    s00 = f64x2.add(s00, f64x2.mul(a0, x))
    s01 = f64x2.add(s01, f64x2.mul(a0, y))
    const a1 = v128.load64_splat(a, 8)
    s10 = f64x2.add(s10, f64x2.mul(a1, x))
    s11 = f64x2.add(s11, f64x2.mul(a1, y))
    const a2 = v128.load64_splat(a, 16)
    s20 = f64x2.add(s20, f64x2.mul(a2, x))
    s21 = f64x2.add(s21, f64x2.mul(a2, y))
    const a3 = v128.load64_splat(a, 24)
    s30 = f64x2.add(s30, f64x2.mul(a3, x))
    s31 = f64x2.add(s31, f64x2.mul(a3, y))
    a += 32
    b += 32
  }
  v128.store(c, s00)
  v128.store(c, s01, 16)
  v128.store(c1, s10)
  v128.store(c1, s11, 16)
  v128.store(c2, s20)
  v128.store(c2, s21, 16)
  v128.store(c3, s30)
  v128.store(c3, s31, 16)
}

/** One tile, modulo 2^32. */
function tileInt32(a: usize, b: usize, c: usize, stride: usize, k: i32): void {
  const c1 = c + stride
  const c2 = c1 + stride
  const c3 = c2 + stride
  let s00 = v128.load(c)
  let s01 = v128.load(c, 16)
  let s10 = v128.load(c1)
  let s11 = v128.load(c1, 16)
  let s20 = v128.load(c2)
  let s21 = v128.load(c2, 16)
  let s30 = v128.load(c3)
  let s31 = v128.load(c3, 16)
  const end = a + usize(k) * 16
  while (a < end) {
    const x = v128.load(b)
    const y = v128.load(b, 16)
    const a0 = v128.load32_splat(a)
    s00 = i32x4.add(s00, i32x4.mul(a0, x))
    s01 = i32x4.add(s01, i32x4.mul(a0, y))
    const a1 = v128.load32_splat(a, 4)
    s10 = i32x4.add(s10, i32x4.mul(a1, x))
    s11 = i32x4.add(s11, i32x4.mul(a1, y))
    const a2 = v128.load32_splat(a, 8)
    s20 = i32x4.add(s20, i32x4.mul(a2, x))
    s21 = i32x4.add(s21, i32x4.mul(a2, y))
    const a3 = v128.load32_splat(a, 12)
    s30 = i32x4.add(s30, i32x4.mul(a3, x))
    s31 = i32x4.add(s31, i32x4.mul(a3, y))
    a += 16
    b += 32
  }
  v128.store(c, s00)
  v128.store(c, s01, 16)
  v128.store(c1, s10)
  v128.store(c1, s11, 16)
  v128.store(c2, s20)
  v128.store(c2, s21, 16)
  v128.store(c3, s30)
  v128.store(c3, s31, 16)
}
