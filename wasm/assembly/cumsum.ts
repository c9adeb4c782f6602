import { codesOfResults, high, low } from './codes'

// Running sums are bound by latency: a float32 addition is about 3 cycles, rounding its result to bfloat16 by
// integers 4 more and two changes of domain. While every exact sum stays in one binade, one addition does both: with
// magic = 1.5 * 2^23 units of that binade's bfloat16 grid, float32(magic + sum + x) is rounded to that grid, nearest
// even. So eight steps are taken on trust, all eight exact sums are looked at, and the eight are repeated the long
// way if one of them left the binade.

const exponents: i32 = 0x7f800000
// The last float32 exponent field that `magic`, 16 binades above, can serve: that of 2^111. Field 0, the subnormals,
// gets a grid finer than bfloat16's; sums there are exact on either.
const largest: i32 = (127 + 111) << 23

/** Codes at `from` -> codes at `to` of the running sums from `sum`, each rounded to bfloat16; returns the last sum. */
export function cumsum(from: usize, to: usize, count: i32, sum: f32): f32 {
  let trust = 0
  let wait = 0
  for (; count >= 8; count -= 8, from += 16, to += 16) {
    const codes = v128.load(from)
    const x = low(codes)
    const y = high(codes)
    const binade = reinterpret<i32>(sum) & exponents
    if (trust >= 0 && binade <= largest) {
      const magic = reinterpret<f32>(binade + (16 << 23) | 0x400000)
      const s0 = magic + sum + f32x4.extract_lane(x, 0)
      const s1 = s0 + f32x4.extract_lane(x, 1)
      const s2 = s1 + f32x4.extract_lane(x, 2)
      const s3 = s2 + f32x4.extract_lane(x, 3)
      const s4 = s3 + f32x4.extract_lane(y, 0)
      const s5 = s4 + f32x4.extract_lane(y, 1)
      const s6 = s5 + f32x4.extract_lane(y, 2)
      const s7 = s6 + f32x4.extract_lane(y, 3)
      const shift = f32x4.splat(magic)
      const p = f32x4.sub(four(s0, s1, s2, s3), shift)
      const q = f32x4.sub(four(s4, s5, s6, s7), shift)
      // The exact sums, as near as float32 has them: the sum before plus the term.
      const before = f32x4.replace_lane(i8x16.shuffle(p, p, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), 0, sum)
      const after = i8x16.shuffle(p, q, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27)
      const mask = i32x4.splat(exponents)
      const home = i32x4.splat(binade)
      const inside = v128.and(
        i32x4.eq(v128.and(f32x4.add(before, x), mask), home),
        i32x4.eq(v128.and(f32x4.add(after, y), mask), home),
      )
      if (i32x4.all_true(inside)) {
        v128.store(to, i16x8.narrow_i32x4_u(i32x4.shr_u(p, 16), i32x4.shr_u(q, 16)))
        sum = s7 - magic
        wait = 0
        continue
      }
      // Sums that keep changing their binade are not worth trying every time.
      wait = min(2 * wait + 1, 15)
      trust = -wait
    } else {
      trust++
    }
    let s = f32x4.splat(sum)
    const p0 = (s = step(s, x))
    const p1 = (s = step(s, lane1(x)))
    const p2 = (s = step(s, lane2(x)))
    const p3 = (s = step(s, lane3(x)))
    const q0 = (s = step(s, y))
    const q1 = (s = step(s, lane1(y)))
    const q2 = (s = step(s, lane2(y)))
    const q3 = (s = step(s, lane3(y)))
    v128.store(to, codesOfResults(gather(p0, p1, p2, p3), gather(q0, q1, q2, q3)))
    sum = f32x4.extract_lane(s, 0)
  }
  for (; count > 0; count--, from += 2, to += 2) {
    sum = f32x4.extract_lane(step(f32x4.splat(sum), i32x4.splat(i32(load<u16>(from)) << 16)), 0)
    store<u16>(to, sum == sum ? reinterpret<u32>(sum) >>> 16 : 0x7fc0)
  }
  return sum
}

/** As cumsum, with the running sum in float32 and only what is stored rounded to bfloat16. */
export function cumsumFloat32(from: usize, to: usize, count: i32, sum: f32): f32 {
  for (; count >= 8; count -= 8, from += 16, to += 16) {
    const codes = v128.load(from)
    const x = low(codes)
    const y = high(codes)
    const s0 = sum + f32x4.extract_lane(x, 0)
    const s1 = s0 + f32x4.extract_lane(x, 1)
    const s2 = s1 + f32x4.extract_lane(x, 2)
    const s3 = s2 + f32x4.extract_lane(x, 3)
    const s4 = s3 + f32x4.extract_lane(y, 0)
    const s5 = s4 + f32x4.extract_lane(y, 1)
    const s6 = s5 + f32x4.extract_lane(y, 2)
    sum = s6 + f32x4.extract_lane(y, 3)
    v128.store(to, codesOfResults(four(s0, s1, s2, s3), four(s4, s5, s6, sum)))
  }
  for (; count > 0; count--, from += 2, to += 2) {
    sum += reinterpret<f32>(u32(load<u16>(from)) << 16)
    const s = f32x4.splat(sum)
    store<u16>(to, i16x8.extract_lane_u(codesOfResults(s, s), 0))
  }
  return sum
}

/** Lane 0 of the sum and the term, rounded to bfloat16; a NaN stays one, its lower half being zero. */
// @ts-ignore: decorator
@inline
function step(sum: v128, x: v128): v128 {
  const s = f32x4.add(sum, x)
  const odd = v128.and(i32x4.shr_u(s, 16), i32x4.splat(1))
  return v128.and(i32x4.add(i32x4.add(s, i32x4.splat(0x7fff)), odd), i32x4.splat(0xffff0000))
}

// @ts-ignore: decorator
@inline
function lane1(x: v128): v128 {
  return i8x16.shuffle(x, x, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7)
}

// @ts-ignore: decorator
@inline
function lane2(x: v128): v128 {
  return i8x16.shuffle(x, x, 8, 9, 10, 11, 8, 9, 10, 11, 8, 9, 10, 11, 8, 9, 10, 11)
}

// @ts-ignore: decorator
@inline
function lane3(x: v128): v128 {
  return i8x16.shuffle(x, x, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15)
}

/** Four scalars as one vector. */
// @ts-ignore: decorator
@inline
function four(a: f32, b: f32, c: f32, d: f32): v128 {
  return f32x4.replace_lane(f32x4.replace_lane(f32x4.replace_lane(f32x4.splat(a), 1, b), 2, c), 3, d)
}

/** Lanes 0 of four vectors as one vector. */
// @ts-ignore: decorator
@inline
function gather(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i8x16.shuffle(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23)
  const cd = i8x16.shuffle(c, d, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23)
  return i8x16.shuffle(ab, cd, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
}
