// What training in blocks does besides rounding: Hadamard transforms, random words, and sums with a scale for each row and column.

/**
 * Hadamard transform in place of blocks of float32 at `from`, `size` a power of 4: each times `signs` (float64, one for each place of a
 * block) before or after, additions in float64 at `work`, times `scale`, once to float32: to nearest even or, for one more rounding to
 * fewer bits, to odd. `flags`: for each block whether its largest magnitude is beyond `ratio` times the least one that is not 0, so that
 * the additions may have rounded.
 */
export function hadamardBlocks(
  from: usize,
  work: usize,
  signs: usize,
  flags: usize,
  blocks: i32,
  size: i32,
  inverse: i32,
  ratio: f64,
  scale: f64,
  toOdd: i32,
): void {
  const bytes = usize(size) * 4
  const factor = f64x2.splat(scale)
  const alternate = f64x2(1, -1)
  for (let b = 0; b < blocks; b++, from += bytes, flags += 4) {
    let most = f32x4.splat(0)
    let least = f32x4.splat(Infinity)
    for (let i: usize = 0; i < bytes; i += 16) {
      const x = v128.load(from + i)
      const magnitude = f32x4.abs(x)
      most = f32x4.max(most, magnitude)
      least = f32x4.min(
        least,
        v128.bitselect(f32x4.splat(Infinity), magnitude, f32x4.eq(magnitude, f32x4.splat(0))),
      )
      let low = f64x2.promote_low_f32x4(x)
      let high = f64x2.promote_low_f32x4(
        i8x16.shuffle(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15),
      )
      if (!inverse) {
        low = f64x2.mul(low, v128.load(signs + 2 * i))
        high = f64x2.mul(high, v128.load(signs + 2 * i, 16))
      }
      v128.store(work + 2 * i, inPairs(low, alternate))
      v128.store(work + 2 * i, inPairs(high, alternate), 16)
    }
    const top = f64(laneMax(most))
    i32.store(flags, i32(top < Infinity && top > f64(laneMin(least)) * ratio))
    for (let half: usize = 16; half < 2 * bytes; half *= 2) {
      for (let at = work; at < work + 2 * bytes; at += 2 * half) {
        for (let i = at; i < at + half; i += 16) {
          const x = v128.load(i)
          const y = v128.load(i + half)
          v128.store(i, f64x2.add(x, y))
          v128.store(i + half, f64x2.sub(x, y))
        }
      }
    }
    for (let i: usize = 0; i < bytes; i += 16) {
      let low = f64x2.mul(v128.load(work + 2 * i), factor)
      let high = f64x2.mul(v128.load(work + 2 * i, 16), factor)
      if (inverse) {
        low = f64x2.mul(low, v128.load(signs + 2 * i))
        high = f64x2.mul(high, v128.load(signs + 2 * i, 16))
      }
      v128.store(from + i, toOdd ? oddOf(low, high) : nearestOf(low, high))
    }
  }
}

/** a + b and a - b. */
// @ts-ignore: decorator
@inline
function inPairs(x: v128, alternate: v128): v128 {
  const swapped = i8x16.shuffle(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7)
  return f64x2.add(f64x2.mul(x, alternate), swapped)
}

// @ts-ignore: decorator
@inline
function nearestOf(low: v128, high: v128): v128 {
  return lowerHalves(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high))
}

// @ts-ignore: decorator
@inline
function lowerHalves(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
}

/** To float32; of inexact ones that with the odd last bit. */
// @ts-ignore: decorator
@inline
function oddOf(low: v128, high: v128): v128 {
  const a = f32x4.demote_f64x2_zero(low)
  const b = f32x4.demote_f64x2_zero(high)
  const backA = f64x2.promote_low_f32x4(a)
  const backB = f64x2.promote_low_f32x4(b)
  const near = lowerHalves(a, b)
  const isInexact = evenLanes(f64x2.ne(backA, low), f64x2.ne(backB, high))
  const isBeyond = evenLanes(
    f64x2.gt(f64x2.abs(backA), f64x2.abs(low)),
    f64x2.gt(f64x2.abs(backB), f64x2.abs(high)),
  )
  const isEven = i32x4.eq(v128.and(near, i32x4.splat(1)), i32x4.splat(0))
  const step = v128.or(isBeyond, i32x4.splat(1))
  return i32x4.add(near, v128.and(step, v128.and(isInexact, isEven)))
}

/** Masks of 64 bits as masks of 32. */
// @ts-ignore: decorator
@inline
function evenLanes(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
}

// @ts-ignore: decorator
@inline
function laneMax(x: v128): f32 {
  return max(
    max(f32x4.extract_lane(x, 0), f32x4.extract_lane(x, 1)),
    max(f32x4.extract_lane(x, 2), f32x4.extract_lane(x, 3)),
  )
}

// @ts-ignore: decorator
@inline
function laneMin(x: v128): f32 {
  return min(
    min(f32x4.extract_lane(x, 0), f32x4.extract_lane(x, 1)),
    min(f32x4.extract_lane(x, 2), f32x4.extract_lane(x, 3)),
  )
}

/** The xor of both words of Threefry-2x32 of counters (0, start), (0, start + 1), ...; `count` a multiple of 4. */
export function threefryWords(to: usize, count: i32, k0: i32, k1: i32, start: i32): void {
  const k2 = k0 ^ k1 ^ 0x1bd11bda
  const end = to + count * 4
  let counter = i32x4.add(i32x4.splat(start), i32x4(0, 1, 2, 3))
  for (; to < end; to += 16, counter = i32x4.add(counter, i32x4.splat(4))) {
    let a = i32x4.splat(k0)
    let b = i32x4.add(counter, i32x4.splat(k1))
    for (let round = 0; round < 5; round++) {
      if ((round & 1) == 0) {
        a = i32x4.add(a, b)
        b = v128.xor(rotated(b, 13), a)
        a = i32x4.add(a, b)
        b = v128.xor(rotated(b, 15), a)
        a = i32x4.add(a, b)
        b = v128.xor(rotated(b, 26), a)
        a = i32x4.add(a, b)
        b = v128.xor(rotated(b, 6), a)
      } else {
        a = i32x4.add(a, b)
        b = v128.xor(rotated(b, 17), a)
        a = i32x4.add(a, b)
        b = v128.xor(rotated(b, 29), a)
        a = i32x4.add(a, b)
        b = v128.xor(rotated(b, 16), a)
        a = i32x4.add(a, b)
        b = v128.xor(rotated(b, 24), a)
      }
      const next = round % 3
      a = i32x4.add(a, i32x4.splat(next == 0 ? k1 : next == 1 ? k2 : k0))
      b = i32x4.add(b, i32x4.splat((next == 0 ? k2 : next == 1 ? k0 : k1) + round + 1))
    }
    v128.store(to, v128.xor(a, b))
  }
}

// @ts-ignore: decorator
@inline
function rotated(x: v128, by: i32): v128 {
  return v128.or(i32x4.shl(x, by), i32x4.shr_u(x, 32 - by))
}

/** Rows of float32 at `total`, each plus that of `sums` times (scale of its row times scale of its column), rounded at each step. */
export function addScaledRows(
  total: usize,
  sums: usize,
  rowScales: usize,
  columnScales: usize,
  rows: i32,
  columns: i32,
): void {
  const bytes = usize(columns) * 4
  for (let i = 0; i < rows; i++, rowScales += 4, total += bytes, sums += bytes) {
    const scale = v128.load32_splat(rowScales)
    let j: usize = 0
    for (; j + 16 <= bytes; j += 16) {
      const both = f32x4.mul(scale, v128.load(columnScales + j))
      v128.store(total + j, f32x4.add(v128.load(total + j), f32x4.mul(v128.load(sums + j), both)))
    }
    for (; j < bytes; j += 4) {
      const both = load<f32>(rowScales) * load<f32>(columnScales + j)
      store<f32>(total + j, load<f32>(total + j) + load<f32>(sums + j) * both)
    }
  }
}
