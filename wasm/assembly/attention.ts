// What tiled attention does between its products, a tile at a time. A tile lies keys by queries, [width][apart bytes], so that what a
// row of queries carries, its maximum say, is a lane of a vector; lanes behind the last query are computed along. A mask is
// [width][lanes] bytes, 1 where a pair is allowed. Spans are pairs of numbers for each band of four keys (or of queries): the first
// query (or key) that one of the four may attend to, and the one behind the last; what lies outside is 0 among probabilities.
import { canonical } from './float32/arithmetic'
import { tile, tileExact } from './tile'

/** The kernel of float32/vector.ts, from the module that has it and its tables. */
// @ts-ignore: decorator
@external("function", "expFloat32")
declare function expFloat32(from: usize, to: usize, count: i32): void

/** Of the kinds of src/numbers/simd/forwardTiles.ts the one that differs besides the first. */
const PALLAS = 2

/** Of packed values to two numbers at `to`: the least magnitude that is not 0, and the largest, infinite where one is infinite or NaN. */
export function measure(at: usize, count: i32, to: usize): void {
  let low = i32x4.splat(-1)
  let high = i32x4.splat(0)
  for (const end = at + usize(count) * 4; at < end; at += 16) {
    const size = v128.and(v128.load(at), i32x4.splat(0x7fffffff))
    // A zero less one is the largest unsigned number, and stays out; infinities and NaNs count as none and are the largest.
    low = i32x4.min_u(low, i32x4.sub(size, i32x4.splat(1)))
    high = i32x4.max_s(high, size)
  }
  const least = min(
    min(u32(i32x4.extract_lane(low, 0)), u32(i32x4.extract_lane(low, 1))),
    min(u32(i32x4.extract_lane(low, 2)), u32(i32x4.extract_lane(low, 3))),
  )
  const most = max(
    max(i32x4.extract_lane(high, 0), i32x4.extract_lane(high, 1)),
    max(i32x4.extract_lane(high, 2), i32x4.extract_lane(high, 3)),
  )
  store<i32>(to, i32(min(least, 0x7f7fffff) + 1))
  store<i32>(to, min(most, 0x7f800000), 4)
}

/** sums = left * right by tiles; only those whose band has something within the span of the panel's columns, two bands of four. */
export function multiplyWithin(
  left: usize, right: usize, sums: usize, apart: usize, bands: i32, panels: i32, k: i32, spans: usize, exact: i32,
): void {
  memory.fill(sums, 0, usize(bands) * 4 * apart)
  for (let panel = 0; panel < panels; panel++, spans += 16) {
    // The second of two bands may be missing, and has an empty span.
    const from = min(load<i32>(spans), load<i32>(spans, 8))
    const to = max(load<i32>(spans, 4), load<i32>(spans, 12))
    const b = right + panel * k * 32
    for (let band = from >> 2; band < min(bands, (to + 3) >> 2); band++) {
      step(left + band * k * 16, b, sums + usize(band) * 4 * apart + panel * 32, apart, k, exact)
    }
  }
}

/** sums = left * right, of each band only what lies within its span of k: elsewhere the left operand is 0 and the right one finite. */
export function multiplyAlong(
  left: usize, right: usize, sums: usize, apart: usize, bands: i32, panels: i32, k: i32, spans: usize, exact: i32,
): void {
  memory.fill(sums, 0, usize(bands) * 4 * apart)
  for (let panel = 0; panel < panels; panel++) {
    const b = right + panel * k * 32
    for (let band = 0; band < bands; band++) {
      const from = load<i32>(spans + band * 8)
      const to = load<i32>(spans + band * 8, 4)
      if (from >= to) continue
      const a = left + (band * k + from) * 16
      step(a, b + from * 32, sums + usize(band) * 4 * apart + panel * 32, apart, to - from, exact)
    }
  }
}

// @ts-ignore: decorator
@inline
function step(a: usize, b: usize, c: usize, apart: usize, k: i32, exact: i32): void {
  if (exact) {
    tile(a, b, c, apart, k)
  } else {
    tileExact(a, b, c, apart, k)
    tileExact(a, b + 16, c + 16, apart, k)
  }
}

/** The lanes of a band's span, as bytes: whole vectors. */
// @ts-ignore: decorator
@inline
function firstOf(spans: usize, key: i32): usize {
  return usize(load<i32>(spans + (key >> 2) * 8) & ~3) * 4
}

// @ts-ignore: decorator
@inline
function endOf(spans: usize, key: i32): usize {
  return usize((load<i32>(spans + (key >> 2) * 8, 4) + 3) & ~3) * 4
}

/** Four bytes of a mask as lanes, all ones where a pair is allowed. */
// @ts-ignore: decorator
@inline
function allowed(mask: usize): v128 {
  return i32x4.neg(i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(mask))))
}

/**
 * Products to logits, in place, and the largest of each query, -Inf if there is none, to `most`: times scale, then what `value` says
 * where the mask does not allow (kind PALLAS: added).
 */
export function logitsOfTile(
  s: usize, width: i32, apart: usize, kind: i32, scale: f32, mask: usize, value: f32, most: usize, spans: usize,
): void {
  const by = f32x4.splat(scale)
  const other = f32x4.splat(value)
  for (let i: usize = 0; i < apart; i += 16) v128.store(most + i, f32x4.splat(-Infinity))
  for (let key = 0; key < width; key++, s += apart) {
    const end = endOf(spans, key)
    let i = firstOf(spans, key)
    if (mask == 0) {
      for (; i < end; i += 16) {
        let x = f32x4.mul(v128.load(s + i), by)
        if (kind == PALLAS) x = f32x4.add(x, f32x4.splat(0))
        v128.store(s + i, x)
        v128.store(most + i, f32x4.pmax(v128.load(most + i), x))
      }
      continue
    }
    const bits = mask + usize(key) * (apart >> 2)
    for (; i < end; i += 16) {
      let x = f32x4.mul(v128.load(s + i), by)
      const is = allowed(bits + (i >> 2))
      x = kind == PALLAS ? f32x4.add(x, v128.andnot(other, is)) : v128.bitselect(x, other, is)
      v128.store(s + i, x)
      v128.store(most + i, f32x4.pmax(v128.load(most + i), x))
    }
  }
}

/**
 * Logits to probabilities, in place, by the largest of each query in `most`, which is overwritten. The state is m, l, factor and share,
 * `apart` bytes each. `single`: probabilities are divided by their sum.
 */
export function weighTile(
  s: usize, width: i32, apart: usize, kind: i32, single: i32, most: usize, state: usize, spans: usize,
): void {
  const l = state + apart
  const factor = l + apart
  const share = factor + apart
  for (let i: usize = 0; i < apart; i += 16) {
    const before = v128.load(state + i)
    const next = f32x4.max(before, v128.load(most + i))
    let shift = next
    // A query without a pair: every difference is -Inf, not NaN.
    if (kind == 0) shift = v128.andnot(next, f32x4.eq(next, f32x4.splat(-Infinity)))
    v128.store(factor + i, f32x4.sub(before, shift))
    v128.store(state + i, next)
    v128.store(most + i, shift)
    v128.store(share + i, f32x4.splat(0))
  }
  expFloat32(factor, factor, i32(apart >> 2))
  let row = s
  for (let key = 0; key < width; key++, row += apart) {
    const first = firstOf(spans, key)
    const end = endOf(spans, key)
    if (first >= end) {
      memory.fill(row, 0, apart)
      continue
    }
    if (first > 0) memory.fill(row, 0, first)
    if (end < apart) memory.fill(row + end, 0, apart - end)
    for (let i = first; i < end; i += 16) v128.store(row + i, f32x4.sub(v128.load(row + i), v128.load(most + i)))
    expFloat32(row + first, row + first, i32((end - first) >> 2))
    for (let i = first; i < end; i += 16) {
      v128.store(share + i, f32x4.add(v128.load(share + i), v128.load(row + i)))
    }
  }
  for (let i: usize = 0; i < apart; i += 16) {
    const corrected = f32x4.mul(v128.load(factor + i), v128.load(l + i))
    const sum = f32x4.add(corrected, v128.load(share + i))
    v128.store(l + i, sum)
    if (kind != PALLAS) continue
    const one = f32x4.splat(1)
    const inverse = v128.bitselect(one, f32x4.div(one, sum), f32x4.eq(sum, f32x4.splat(0)))
    v128.store(share + i, inverse)
    v128.store(factor + i, f32x4.mul(corrected, inverse))
  }
  if (!single) return
  for (let key = 0; key < width; key++, s += apart) {
    for (let i: usize = 0; i < apart; i += 16) v128.store(s + i, f32x4.div(v128.load(s + i), v128.load(l + i)))
  }
}

// @ts-ignore: decorator
@inline
function narrowed(x: v128, narrow: i32): v128 {
  if (!narrow) return x
  const odd = v128.and(i32x4.shr_u(x, 16), i32x4.splat(1))
  return canonicalOf(x, v128.and(i32x4.add(i32x4.add(x, i32x4.splat(0x7fff)), odd), i32x4.splat(0xffff0000)))
}

// @ts-ignore: decorator
@inline
function canonicalOf(x: v128, y: v128): v128 {
  return v128.bitselect(i32x4.splat(0x7fc00000), y, f32x4.ne(x, x))
}

/**
 * A tile as the left operand of a product over its keys: bands of queries, [band][key][4], rounded to bfloat16 where `narrow`, 0 for queries
 * behind the last of `rows`.
 */
export function packTile(s: usize, width: i32, apart: usize, to: usize, rows: i32, narrow: i32): void {
  const size = usize(width) * 16
  let row = 0
  // What lies side by side in a line of the cache is read at once.
  for (; row + 16 <= rows; row += 16, to += 4 * size) {
    let from = s + usize(row) * 4
    for (let at = to; at < to + size; at += 16, from += apart) {
      v128.store(at, narrowed(v128.load(from), narrow))
      v128.store(at + size, narrowed(v128.load(from, 16), narrow))
      v128.store(at + 2 * size, narrowed(v128.load(from, 32), narrow))
      v128.store(at + 3 * size, narrowed(v128.load(from, 48), narrow))
    }
  }
  for (; row < rows; row += 4, to += size) {
    const there = i32x4.gt_s(i32x4.splat(rows - row), i32x4(0, 1, 2, 3))
    let from = s + usize(row) * 4
    for (let at = to; at < to + size; at += 16, from += apart) {
      v128.store(at, v128.and(narrowed(v128.load(from), narrow), there))
    }
  }
}

/** The running output of each query, [bands * 4][apart bytes], and a block's product w of the same form: a o + w, or a o + b w. */
export function addTile(
  to: usize, w: usize, apart: usize, rows: i32, kind: i32, single: i32, factor: usize, share: usize,
): void {
  if (single) {
    memory.copy(to, w, usize(rows) * apart)
    return
  }
  for (let row = 0; row < rows; row++, factor += 4, share += 4) {
    const a = v128.load32_splat(factor)
    const b = v128.load32_splat(share)
    for (let i: usize = 0; i < apart; i += 16, to += 16, w += 16) {
      let x = v128.load(w)
      if (kind == PALLAS) x = f32x4.mul(x, b)
      v128.store(to, f32x4.add(f32x4.mul(v128.load(to), a), x))
    }
  }
}

/** Each row of the running output times its number of `by`, without room between them, to `to`: rows of `length` numbers, `step` apart. */
export function finishTile(from: usize, apart: usize, by: usize, to: usize, step: i32, length: i32, rows: i32): void {
  for (let row = 0; row < rows; row++, from += apart, by += 4, to += step * 4) {
    const x = v128.load32_splat(by)
    let i = 0
    for (; i + 4 <= length; i += 4) v128.store(to + i * 4, canonical(f32x4.mul(v128.load(from + i * 4), x)))
    const last = canonical(f32x4.mul(v128.load(from + i * 4), x))
    if (i < length) store<f32>(to + i * 4, f32x4.extract_lane(last, 0))
    if (i + 1 < length) store<f32>(to + i * 4 + 4, f32x4.extract_lane(last, 1))
    if (i + 2 < length) store<f32>(to + i * 4 + 8, f32x4.extract_lane(last, 2))
  }
}

/**
 * The backward pass between its products, in place: p, products of queries and keys, to exp(p scale - lse), 0 where the mask does not
 * allow, and ds, products of cotangents and values, to (ds - less) p scale. Both rounded to bfloat16 where `narrow`.
 */
export function slopesOfTile(
  p: usize, ds: usize, width: i32, apart: usize, scale: f32, mask: usize, lse: usize, less: usize, narrow: i32, spans: usize,
): void {
  const by = f32x4.splat(scale)
  for (let key = 0; key < width; key++, p += apart, ds += apart) {
    const first = firstOf(spans, key)
    const end = endOf(spans, key)
    if (first >= end) {
      memory.fill(p, 0, apart)
      memory.fill(ds, 0, apart)
      continue
    }
    if (first > 0) {
      memory.fill(p, 0, first)
      memory.fill(ds, 0, first)
    }
    if (end < apart) {
      memory.fill(p + end, 0, apart - end)
      memory.fill(ds + end, 0, apart - end)
    }
    const bits = mask + usize(key) * (apart >> 2)
    for (let i = first; i < end; i += 16) {
      let x = f32x4.sub(f32x4.mul(v128.load(p + i), by), v128.load(lse + i))
      if (mask) x = v128.bitselect(x, f32x4.splat(-Infinity), allowed(bits + (i >> 2)))
      v128.store(p + i, x)
    }
    expFloat32(p + first, p + first, i32((end - first) >> 2))
    for (let i = first; i < end; i += 16) {
      const x = v128.load(p + i)
      const y = f32x4.mul(f32x4.mul(f32x4.sub(v128.load(ds + i), v128.load(less + i)), x), by)
      v128.store(p + i, narrowed(x, narrow))
      v128.store(ds + i, narrowed(y, narrow))
    }
  }
}

/** total += part, rows of `length` numbers without room between them and rows `apart` bytes from each other. */
export function addPart(total: usize, part: usize, apart: usize, length: i32, rows: i32): void {
  for (let row = 0; row < rows; row++, part += apart, total += length * 4) {
    let i = 0
    for (; i + 4 <= length; i += 4) {
      v128.store(total + i * 4, f32x4.add(v128.load(total + i * 4), v128.load(part + i * 4)))
    }
    for (; i < length; i++) store<f32>(total + i * 4, load<f32>(total + i * 4) + load<f32>(part + i * 4))
  }
}
