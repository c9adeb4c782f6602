// One block of a product on a matrix unit of a GPU. Numbers are significands (float32, below 2 in magnitude) and exponents: the
// left operand [row][k] of pairs (significand, exponent in 32 bits), the right one in panels of 8 columns, [panel][k] of 8
// significands and then 8 exponents in 16 bits. Sums are the float32 accumulators, [row][panel * 8]. Zeros have an exponent far below any other.

/** Products whose sum of terms below 2^27 an int32 holds. */
const most: i32 = 16

/** 2^exponent of a normal float64. */
// @ts-ignore: decorator
@inline
function power(exponent: i32): f64 {
  return reinterpret<f64>(u64(exponent + 1023) << 52)
}

/** The exponents by which accumulators are aligned: -126 for 0. */
// @ts-ignore: decorator
@inline
function exponentsOf(sums: v128, least: v128): v128 {
  const field = v128.and(i32x4.shr_u(sums, 23), i32x4.splat(255))
  const own = i32x4.max_s(i32x4.sub(field, i32x4.splat(127)), least)
  const isZero = f32x4.eq(sums, f32x4.splat(0))
  return v128.bitselect(i32x4.splat(-126), own, isZero)
}

// @ts-ignore: decorator
@inline
function upper(x: v128): v128 {
  return i8x16.shuffle(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15)
}

/** Two exact numbers as the unit writes them: `step` and `big` times the power of two of a number find its last place. */
// @ts-ignore: decorator
@inline
function finish(exact: v128, smallest: v128, big: v128, step: v128, cut: v128, limit: v128): v128 {
  const magnitude = f64x2.abs(exact)
  const exponent = v128.and(magnitude, i64x2.splat(0x7ff0000000000000))
  const place = f64x2.max(exponent, smallest)
  const shift = f64x2.mul(place, big)
  const nearest = f64x2.sub(f64x2.add(magnitude, shift), shift)
  const excess = v128.and(v128.and(f64x2.gt(nearest, magnitude), f64x2.mul(place, step)), cut)
  const kept = f64x2.sub(nearest, excess)
  const result = v128.bitselect(f64x2.splat(Infinity), kept, f64x2.ge(kept, limit))
  return v128.or(result, v128.and(exact, i64x2.splat(0x8000000000000000)))
}

/** Two sums of aligned terms with the accumulator's, back at their place. */
// @ts-ignore: decorator
@inline
function withAccumulator(terms: v128, accumulator: v128, largest: v128, align: i32): v128 {
  const exponent = i64x2.extend_low_i32x4_s(largest)
  const scale = i64x2.shl(i64x2.sub(i64x2.splat(1023 + align), exponent), 52)
  const back = i64x2.shl(i64x2.add(i64x2.splat(1023 - align), exponent), 52)
  const own = f64x2.trunc(f64x2.mul(f64x2.promote_low_f32x4(accumulator), scale))
  return f64x2.mul(f64x2.add(terms, own), back)
}

// @ts-ignore: decorator
@inline
function join(low: v128, high: v128): v128 {
  const a = f32x4.demote_f64x2_zero(low)
  const b = f32x4.demote_f64x2_zero(high)
  return i8x16.shuffle(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
}

/** Eight times the upper 16 bits of 2^(align - distance to the largest exponent) in float32; 0 where that underflows. */
// @ts-ignore: decorator
@inline
function factors(left: v128, right: v128, base: v128): v128 {
  return i16x8.shl(i16x8.max_s(i16x8.add(i16x8.add(left, right), base), i16x8.splat(0)), 7)
}

/** The first four of them, as float32. */
// @ts-ignore: decorator
@inline
function lower(f: v128): v128 {
  return i8x16.shuffle(i16x8.splat(0), f, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23)
}

// @ts-ignore: decorator
@inline
function higher(f: v128): v128 {
  return i8x16.shuffle(i16x8.splat(0), f, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31)
}

/**
 * Four sums of terms, integers that float32 holds, with the accumulators', cut to the bits of `kept`. Where none is subnormal an accumulator
 * that is 0 or subnormal is far below a unit, whatever its significand is taken for.
 */
// @ts-ignore: decorator
@inline
function plain(terms: v128, sums: v128, exponents: v128, largest: v128, align: i32, kept: v128): v128 {
  const fraction = v128.and(sums, i32x4.splat(0x807fffff))
  const significand = v128.or(fraction, i32x4.splat(0x3f800000))
  const distance = i32x4.add(i32x4.sub(exponents, largest), i32x4.splat(align + 127))
  const factor = i32x4.shl(i32x4.max_s(distance, i32x4.splat(0)), 23)
  const own = f32x4.trunc(f32x4.mul(significand, factor))
  const back = i32x4.shl(i32x4.add(largest, i32x4.splat(127 - align)), 23)
  return f32x4.mul(v128.and(f32x4.add(terms, own), kept), back)
}

/**
 * Chains of instructions of `instruction` products, `group` at once, k a multiple of it. Terms keep `align` bits below the largest
 * exponent; a result has `fraction` bits, subnormal below 2^least, is cut where `isCut`, and an infinity from 2^limit on. Where
 * `isAfter` an instruction begins at 0, and the accumulator is added to its result, to nearest.
 */
export function multiplyUnit(
  left: usize,
  right: usize,
  sums: usize,
  rows: i32,
  panels: i32,
  k: i32,
  instruction: i32,
  group: i32,
  align: i32,
  fraction: i32,
  least: i32,
  limit: i32,
  isCut: i32,
  isAfter: i32,
): void {
  const leasts = i32x4.splat(least)
  const smallest = f64x2.splat(power(least))
  const big = f64x2.splat(1.5 * power(52 - fraction))
  const step = f64x2.splat(power(-fraction))
  const cut = i64x2.splat(isCut ? -1 : 0)
  const never = i64x2.splat(0)
  const limits = f64x2.splat(power(limit))
  const stride = usize(panels) * 32
  // Sums of so few bits are exact in float32.
  const isNarrow = group << (align + 2) <= 1 << 24 && align <= 20
  const top = i16x8.splat(i16(align + 127))
  const zero = i32x4.splat(0)
  // Where the largest exponents of a group are between these, no result is subnormal, and no accumulator an infinity.
  const low = i16x8.splat(i16(align - 126))
  const high = i16x8.splat(128)
  const keptWide = i64x2.splat(i64(-1) << (52 - fraction))
  const keptNarrow = i32x4.splat(-1 << (23 - fraction))
  for (let panel = 0; panel < panels; panel++) {
    for (let row = 0; row < rows; row++) {
      let a = left + usize(row) * k * 8
      let b = right + usize(panel) * k * 48
      const c = sums + usize(row) * stride + panel * 32
      let c0 = v128.load(c)
      let c1 = v128.load(c, 16)
      for (let from = 0; from < k; from += instruction) {
        let o0 = isAfter ? zero : c0
        let o1 = isAfter ? zero : c1
        for (let first = 0; first < instruction; first += group) {
          const e0 = exponentsOf(o0, leasts)
          const e1 = exponentsOf(o1, leasts)
          let x = i16x8.narrow_i32x4_s(e0, e1)
          const end = a + usize(group) * 8
          for (let p = a, q = b; p < end; p += 8, q += 48) {
            x = i16x8.max_s(x, i16x8.add(v128.load16_splat(p, 4), v128.load(q, 32)))
          }
          const base = i16x8.sub(top, x)
          const isPlain =
            isCut && i16x8.all_true(v128.and(i16x8.gt_s(x, low), i16x8.lt_s(x, high)))
          const x0 = i32x4.extend_low_i16x8_s(x)
          const x1 = i32x4.extend_high_i16x8_s(x)
          let t00: v128
          let t01: v128
          let t10: v128
          let t11: v128
          if (isNarrow) {
            let s0 = zero
            let s1 = zero
            for (; a < end; a += 8, b += 48) {
              const m = v128.load32_splat(a)
              const f = factors(v128.load16_splat(a, 4), v128.load(b, 32), base)
              s0 = f32x4.add(s0, f32x4.trunc(f32x4.mul(f32x4.mul(m, v128.load(b)), lower(f))))
              s1 = f32x4.add(s1, f32x4.trunc(f32x4.mul(f32x4.mul(m, v128.load(b, 16)), higher(f))))
            }
            if (isPlain) {
              o0 = plain(s0, o0, e0, x0, align, keptNarrow)
              o1 = plain(s1, o1, e1, x1, align, keptNarrow)
              continue
            }
            t00 = f64x2.promote_low_f32x4(s0)
            t01 = f64x2.promote_low_f32x4(upper(s0))
            t10 = f64x2.promote_low_f32x4(s1)
            t11 = f64x2.promote_low_f32x4(upper(s1))
          } else {
            t00 = t01 = t10 = t11 = zero
            while (a < end) {
              const until = min(a + most * 8, end)
              let s0 = zero
              let s1 = zero
              for (; a < until; a += 8, b += 48) {
                const m = v128.load32_splat(a)
                const f = factors(v128.load16_splat(a, 4), v128.load(b, 32), base)
                const p0 = f32x4.mul(f32x4.mul(m, v128.load(b)), lower(f))
                const p1 = f32x4.mul(f32x4.mul(m, v128.load(b, 16)), higher(f))
                s0 = i32x4.add(s0, i32x4.trunc_sat_f32x4_s(p0))
                s1 = i32x4.add(s1, i32x4.trunc_sat_f32x4_s(p1))
              }
              t00 = f64x2.add(t00, f64x2.convert_low_i32x4_s(s0))
              t01 = f64x2.add(t01, f64x2.convert_low_i32x4_s(upper(s0)))
              t10 = f64x2.add(t10, f64x2.convert_low_i32x4_s(s1))
              t11 = f64x2.add(t11, f64x2.convert_low_i32x4_s(upper(s1)))
            }
          }
          t00 = withAccumulator(t00, o0, x0, align)
          t01 = withAccumulator(t01, upper(o0), upper(x0), align)
          t10 = withAccumulator(t10, o1, x1, align)
          t11 = withAccumulator(t11, upper(o1), upper(x1), align)
          if (isPlain) {
            o0 = join(v128.and(t00, keptWide), v128.and(t01, keptWide))
            o1 = join(v128.and(t10, keptWide), v128.and(t11, keptWide))
            continue
          }
          o0 = join(
            finish(t00, smallest, big, step, cut, limits),
            finish(t01, smallest, big, step, cut, limits),
          )
          o1 = join(
            finish(t10, smallest, big, step, cut, limits),
            finish(t11, smallest, big, step, cut, limits),
          )
        }
        if (isAfter) {
          c0 = join(
            finish(sumOf(c0, o0), smallest, big, step, never, limits),
            finish(sumOf(upper(c0), upper(o0)), smallest, big, step, never, limits),
          )
          c1 = join(
            finish(sumOf(c1, o1), smallest, big, step, never, limits),
            finish(sumOf(upper(c1), upper(o1)), smallest, big, step, never, limits),
          )
        } else {
          c0 = o0
          c1 = o1
        }
      }
      v128.store(c, c0)
      v128.store(c, c1, 16)
    }
  }
}

/** Two sums of float32 numbers in float64, which rounds to float32 and float16 as the exact one: 53 >= 2 * 24 + 2. */
// @ts-ignore: decorator
@inline
function sumOf(a: v128, b: v128): v128 {
  return f64x2.add(f64x2.promote_low_f32x4(a), f64x2.promote_low_f32x4(b))
}
