// Blocks that share a scale: the largest magnitude of each, and the codes of its values times its factor.

/** The largest magnitude of each block of float32 at `from` -> its bits at `to`; blockSize a multiple of 4. */
export function largestOfBlocks(from: usize, to: usize, blocks: i32, blockSize: i32): void {
  const end = to + blocks * 4
  const magnitude = i32x4.splat(0x7fffffff)
  for (; to < end; to += 4) {
    const stop = from + blockSize * 4
    let most = i32x4.splat(0)
    for (; from < stop; from += 16) most = i32x4.max_s(most, v128.and(v128.load(from), magnitude))
    most = i32x4.max_s(most, i8x16.shuffle(most, most, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7))
    most = i32x4.max_s(most, i8x16.shuffle(most, most, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11))
    i32.store(to, i32x4.extract_lane(most, 0))
  }
}

/**
 * Float32 at `from`, times the float32 of each block at `factors`, -> codes of `bits` bits at `to`, one a byte: nearest
 * even, saturating, without NaN. The exponent's bias is that of IEEE 754. blockSize is a multiple of 16.
 */
export function encodeElements(
  from: usize,
  to: usize,
  factors: usize,
  blocks: i32,
  blockSize: i32,
  bits: i32,
  mantissaBits: i32,
  max: f32,
): void {
  const end = to + blocks * blockSize
  const bias = (1 << (bits - mantissaBits - 2)) - 1
  const shift = 23 - mantissaBits
  const limit = f32x4.splat(max)
  const least = i32x4.splat((128 - bias) << 23)
  const spacing = i32x4.splat(shift << 23)
  const first: i32 = (128 - bias) << mantissaBits
  const offset = i16x8.splat(i16(first))
  const signBit: i32 = 1 << (bits - 1)
  const sign = i8x16.splat(i8(signBit))
  for (; to < end; factors += 4) {
    const factor = v128.load32_splat(factors)
    for (let stop = to + blockSize; to < stop; from += 64, to += 16) {
      const a = f32x4.mul(v128.load(from), factor)
      const b = f32x4.mul(v128.load(from, 16), factor)
      const c = f32x4.mul(v128.load(from, 32), factor)
      const d = f32x4.mul(v128.load(from, 48), factor)
      const ab = i16x8.sub(
        i16x8.narrow_i32x4_s(
          magnitudeCode(a, limit, least, spacing, shift),
          magnitudeCode(b, limit, least, spacing, shift),
        ),
        offset,
      )
      const cd = i16x8.sub(
        i16x8.narrow_i32x4_s(
          magnitudeCode(c, limit, least, spacing, shift),
          magnitudeCode(d, limit, least, spacing, shift),
        ),
        offset,
      )
      // Narrowing with saturation keeps the sign of a float's bits, also of -0.
      const signs = i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d))
      const negative = i8x16.lt_s(signs, i8x16.splat(0))
      v128.store(to, v128.or(i8x16.narrow_i16x8_u(ab, cd), v128.and(negative, sign)))
    }
  }
}

/**
 * The code of |x| plus `offset`. Added to a power of two whose float32 spacing is the format's at x, the magnitude is
 * rounded by the addition; what it adds to that power's bits counts the steps.
 */
// @ts-ignore: decorator
@inline
function magnitudeCode(x: v128, limit: v128, least: v128, spacing: v128, shift: i32): v128 {
  const size = f32x4.pmin(limit, v128.and(x, i32x4.splat(0x7fffffff)))
  const exponent = v128.and(f32x4.pmax(least, size), i32x4.splat(0x7f800000))
  const power = i32x4.add(exponent, spacing)
  const steps = i32x4.sub(f32x4.add(size, power), power)
  return i32x4.add(i32x4.shr_u(exponent, shift), steps)
}

/** As `encodeElements`, to int8: 64 times the product, nearest even, within -127 .. 127. */
export function encodeInt8Elements(from: usize, to: usize, factors: usize, blocks: i32, blockSize: i32): void {
  const end = to + blocks * blockSize
  for (; to < end; factors += 4) {
    const factor = v128.load32_splat(factors)
    for (let stop = to + blockSize; to < stop; from += 64, to += 16) {
      const low = i16x8.narrow_i32x4_s(whole(from, factor), whole(from + 16, factor))
      const high = i16x8.narrow_i32x4_s(whole(from + 32, factor), whole(from + 48, factor))
      v128.store(to, i8x16.max_s(i8x16.narrow_i16x8_s(low, high), i8x16.splat(i8(-127))))
    }
  }
}

/**
 * As `encodeElements`, each at random by its word at `words`: to the neighbour away from zero where the word is below the first 32
 * binary digits of the product's place between its neighbours.
 */
export function drawElements(
  from: usize,
  to: usize,
  factors: usize,
  words: usize,
  blocks: i32,
  blockSize: i32,
  bits: i32,
  mantissaBits: i32,
  max: f32,
): void {
  const end = to + blocks * blockSize
  const bias = (1 << (bits - mantissaBits - 2)) - 1
  const shift = 23 - mantissaBits
  // What a float32's exponent exceeds the format's by, in codes, and the step of its subnormal numbers.
  const rebias = (127 - bias) << mantissaBits
  const first = i32x4.splat((128 - bias) << 23)
  const steps = f32x4.splat(reinterpret<f32>((127 + bias - 1 + mantissaBits) << 23))
  const largest = i32x4.splat(reinterpret<i32>(max))
  const signBit: i32 = 1 << (bits - 1)
  const sign = i8x16.splat(i8(signBit))
  for (; to < end; factors += 4) {
    const factor = v128.load32_splat(factors)
    for (let stop = to + blockSize; to < stop; from += 64, words += 64, to += 16) {
      const a = f32x4.mul(v128.load(from), factor)
      const b = f32x4.mul(v128.load(from, 16), factor)
      const c = f32x4.mul(v128.load(from, 32), factor)
      const d = f32x4.mul(v128.load(from, 48), factor)
      const codes = i8x16.narrow_i16x8_u(
        i16x8.narrow_i32x4_s(
          drawnCode(a, v128.load(words), shift, rebias, first, steps, largest),
          drawnCode(b, v128.load(words, 16), shift, rebias, first, steps, largest),
        ),
        i16x8.narrow_i32x4_s(
          drawnCode(c, v128.load(words, 32), shift, rebias, first, steps, largest),
          drawnCode(d, v128.load(words, 48), shift, rebias, first, steps, largest),
        ),
      )
      const signs = i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d))
      v128.store(to, v128.or(codes, v128.and(i8x16.lt_s(signs, i8x16.splat(0)), sign)))
    }
  }
}

/** The code of |x|, the lower neighbour's or one more. */
// @ts-ignore: decorator
@inline
function drawnCode(
  x: v128,
  word: v128,
  shift: i32,
  rebias: i32,
  first: v128,
  steps: v128,
  largest: v128,
): v128 {
  const size = i32x4.min_s(v128.and(x, i32x4.splat(0x7fffffff)), largest)
  const normal = i32x4.sub(i32x4.shr_u(size, shift), i32x4.splat(rebias))
  // Below the normal numbers: whole steps, and the part of a step.
  const scaled = f32x4.mul(size, steps)
  const floor = f32x4.floor(scaled)
  const isNormal = i32x4.ge_s(size, first)
  const lower = v128.bitselect(normal, i32x4.trunc_sat_f32x4_s(floor), isNormal)
  const part = v128.bitselect(i32x4.shl(size, 32 - shift), partOf(scaled, floor), isNormal)
  return i32x4.sub(lower, i32x4.lt_u(word, part))
}

/** The first 32 binary digits of what a number exceeds its whole part by. */
// @ts-ignore: decorator
@inline
function partOf(x: v128, floor: v128): v128 {
  return i32x4.trunc_sat_f32x4_u(f32x4.mul(f32x4.sub(x, floor), f32x4.splat(4294967296)))
}

/** As `drawElements`, to int8: 64 times the product, within -127 .. 127. */
export function drawInt8Elements(
  from: usize,
  to: usize,
  factors: usize,
  words: usize,
  blocks: i32,
  blockSize: i32,
): void {
  const end = to + blocks * blockSize
  for (; to < end; factors += 4) {
    const factor = v128.load32_splat(factors)
    for (let stop = to + blockSize; to < stop; from += 64, words += 64, to += 16) {
      const low = i16x8.narrow_i32x4_s(
        drawnWhole(from, factor, words),
        drawnWhole(from + 16, factor, words + 16),
      )
      const high = i16x8.narrow_i32x4_s(
        drawnWhole(from + 32, factor, words + 32),
        drawnWhole(from + 48, factor, words + 48),
      )
      v128.store(to, i8x16.narrow_i16x8_s(low, high))
    }
  }
}

// @ts-ignore: decorator
@inline
function drawnWhole(from: usize, factor: v128, words: usize): v128 {
  const product = f32x4.mul(v128.load(from), factor)
  const scaled = f32x4.mul(f32x4.abs(product), f32x4.splat(64))
  const floor = f32x4.floor(scaled)
  const up = i32x4.lt_u(v128.load(words), partOf(scaled, floor))
  const most = i32x4.splat(127)
  const magnitude = i32x4.min_s(i32x4.sub(i32x4.min_s(i32x4.trunc_sat_f32x4_s(floor), most), up), most)
  const negative = f32x4.lt(product, f32x4.splat(0))
  return i32x4.sub(v128.xor(magnitude, negative), negative)
}

// @ts-ignore: decorator
@inline
function whole(from: usize, factor: v128): v128 {
  const product = f32x4.mul(f32x4.mul(v128.load(from), factor), f32x4.splat(64))
  return i32x4.trunc_sat_f32x4_s(f32x4.nearest(product))
}
