// Rounding of float32 results, values staying float32. NaNs are canonical but for their sign, which nothing reads.

/** A word of a format's record: see `formatWords` in src/tensors/compile. */
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

/** The same by three constants from memory, which a loop keeps in registers; one that knows them makes them at every turn. */
// @ts-ignore: decorator
@inline
function toUpper(x: v128, one: v128, half: v128, upper: v128): v128 {
  return v128.and(i32x4.add(i32x4.add(x, half), v128.and(i32x4.shr_u(x, 16), one)), upper)
}

/** What `result` reads to round to bfloat16. */
export const bfloat16Record: usize = memory.data<u32>([1, 0, 0x7fff, 0xffff0000, 0])

/** The bits of the exponent, and of the sign. */
export const masks: usize = memory.data<u32>([0x7f800000, 0x80000000])

/**
 * Nearest even to p bits, of a zero without its sign: adding and taking away 1.5 * 2^(24 - p) units of the value's binade, whose
 * exponent is kept between those of the least and of the largest normal numbers. `lift` makes that of the binade.
 */
// @ts-ignore: decorator
@inline
export function near(x: v128, least: v128, most: v128, lift: v128): v128 {
  const binade = i32x4.min_s(i32x4.max_s(v128.and(x, i32x4.splat(0x7f800000)), least), most)
  const magic = i32x4.add(binade, lift)
  return f32x4.sub(f32x4.add(x, magic), magic)
}

/** Nearest even to a format whose largest binade is full: `up` takes what lies beyond it to infinity, and `down` back what does not. */
// @ts-ignore: decorator
@inline
export function toFormat(x: v128, least: v128, most: v128, lift: v128, up: v128, down: v128): v128 {
  const bounded = f32x4.mul(f32x4.mul(near(x, least, most, lift), up), down)
  return v128.or(bounded, v128.and(x, i32x4.splat(0x80000000)))
}

/**
 * Nearest even to a format where NaN lies beyond the largest value: what `up` takes to infinity leaves NaN when it is taken from
 * itself. `signs` is the sign bit where the format has -0.
 */
// @ts-ignore: decorator
@inline
export function toTop(x: v128, least: v128, most: v128, lift: v128, up: v128, signs: v128): v128 {
  const y = near(x, least, most, lift)
  return beyond(x, y, f32x4.mul(y, up), signs)
}

/** The same of x by what is near it and by what that reaches. */
// @ts-ignore: decorator
@inline
export function beyond(x: v128, y: v128, reached: v128, signs: v128): v128 {
  return v128.or(f32x4.add(y, f32x4.sub(reached, reached)), v128.and(x, signs))
}

/** Nearest even to a format of finite numbers: what lies beyond the largest is that, and NaN is -0. */
// @ts-ignore: decorator
@inline
export function toFinite(x: v128, least: v128, lift: v128, largest: v128, exponents: v128, sign: v128): v128 {
  const isNaN = f32x4.ne(x, x)
  // pmin gives its first operand unless the second is smaller.
  const size = f32x4.pmin(f32x4.abs(x), largest)
  return v128.or(v128.andnot(nearResult(size, least, lift, exponents), isNaN), v128.and(v128.or(x, isNaN), sign))
}

/**
 * The nearest power of two from 2^-127 on, the larger one of two; NaN of what is not above zero, and beyond 2^127. A product of such
 * numbers is above zero, also where it has become zero.
 */
// @ts-ignore: decorator
@inline
export function toPower(x: v128, above: v128, first: v128, below: v128, last: v128, exponents: v128, nan: v128): v128 {
  // What is below 3/2 of the first power is that one, which is no normal number of float32.
  const power = v128.bitselect(first, v128.and(i32x4.add(x, first), exponents), i32x4.gt_s(below, x))
  return v128.bitselect(power, nan, v128.and(i32x4.gt_s(x, above), i32x4.gt_s(last, x)))
}

/** What `toPower` reads: the bits that all it takes are above, without zero and with it, the first power, 3/2 of it, and what is too much. */
export const powers: usize = memory.data<u32>([0, 0xffffffff, 0x400000, 0x600000, 0x7f400000, 0x7f800000, 0x7fc00000])

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

/** Rounded as `rounding` says: of one of the numbers above it is a constant. */
// @ts-ignore: decorator
@inline
export function rounded(rounding: i32, x: v128, r0: v128, r1: v128, r2: v128, r3: v128, r4: v128): v128 {
  if (rounding == 0) return x
  if (rounding == 1) return toBfloat16(x)
  if (rounding == 2) return toFormat(x, r0, r1, r2, r3, r4)
  return toTop(x, r0, r1, r2, r3, r4)
}

/**
 * The result of an operation on numbers of the format, rounded: it is none so large that the binade would have to be kept below the largest.
 * Kinds from 4 on are those whose results
 * lie within it. The constants are from a record, that of bfloat16 for bfloat16, and from `masks`.
 */
// @ts-ignore: decorator
@inline
export function result(
  kind: i32, rounding: i32, x: v128, r0: v128, r2: v128, r3: v128, r4: v128, field: v128, sign: v128,
): v128 {
  if (rounding == 0) return x
  if (rounding == 1) return toUpper(x, r0, r2, r3)
  const y = kind < 2 ? nearSum(x, r2, field) : nearResult(x, r0, r2, field)
  if (kind > 3) return v128.or(y, v128.and(x, rounding == 2 ? sign : r4))
  if (rounding == 2) return v128.or(f32x4.mul(f32x4.mul(y, r3), r4), v128.and(x, sign))
  return beyond(x, y, f32x4.mul(y, r3), r4)
}

/**
 * As `near`, of results below 2^(103 + p), and of infinity: `lift` takes its exponent round to that of a number that is next to nothing
 * beside it.
 */
// @ts-ignore: decorator
@inline
export function nearResult(x: v128, least: v128, lift: v128, field: v128): v128 {
  const magic = i32x4.add(i32x4.max_s(v128.and(x, field), least), lift)
  return f32x4.sub(f32x4.add(x, magic), magic)
}

/** The same of a sum or a difference, which is a multiple of the least number: as many bits as it has below the normal ones, they are its own. */
// @ts-ignore: decorator
@inline
export function nearSum(x: v128, lift: v128, field: v128): v128 {
  const magic = i32x4.add(v128.and(x, field), lift)
  return f32x4.sub(f32x4.add(x, magic), magic)
}

/** One float64 rounded to float32, bfloat16 or a format, as float32. */
export function roundOne(x: f64, rounding: i32, record: usize): f32 {
  if (rounding == 0) return f32(x)
  return roundVector(toOdd(f64x2.splat(x), f64x2.splat(x)), rounding, record)
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
  return roundVector(f32x4.splat(x), rounding, record)
}

// @ts-ignore: decorator
@inline
function roundVector(x: v128, rounding: i32, record: usize): f32 {
  if (rounding == 1) return f32x4.extract_lane(toBfloat16(x), 0)
  const r0 = word(record, 0)
  const r1 = word(record, 1)
  const r2 = word(record, 2)
  const r3 = word(record, 3)
  const r4 = word(record, 4)
  const y = rounding == 2 ? toFormat(x, r0, r1, r2, r3, r4) : toTop(x, r0, r1, r2, r3, r4)
  return f32x4.extract_lane(y, 0)
}
