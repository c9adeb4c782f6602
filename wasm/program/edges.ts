// Elements on their way in and out: whole values in place, where codes lie at the end of their buffer and grow forward into it
// and results shrink to its front, or a block of a value that lies in memory as storage has it.
import { BFLOAT16, BOOL, BYTES, FLOAT16, FLOAT32, FLOAT64 } from '../../src/tensors/compile/engine/opcodes'

// Constants come from memory: a loop keeps them in registers, and makes anew at every turn those that it knows.

/** By which codes of 16 bits come in. */
const entering: usize = memory.data<u32>([
  0x7fff7fff, 0x7f807f80, 0x7c007c00, 0x7e007e00, 0x7bff7bff, 0x38003800, 0x04000400, 0x00800080, 0x38803880,
])

/** By which values leave: no sign, 2^-14, 1/2, what codes of float16 are further down; then of 16 bits. */
const leaving: usize = memory.data<u32>([
  0x7fffffff, 0x38800000, 0x3f000000, 0x1c000, 0x7c007c00, 0x80008000, 0x02000200, 0xffc0ffc0,
])

// @ts-ignore: decorator
@inline
function constant(list: usize, index: i32): v128 {
  return v128.load32_splat(list + index * 4)
}

/** True where float32 values hold a NaN other than the canonical one. */
// @ts-ignore: decorator
@inline
function odd(x: v128): v128 {
  return v128.and(f32x4.ne(x, x), v128.not(i32x4.eq(x, i32x4.splat(0x7fc00000))))
}

/** True where some float32 values hold a NaN other than the canonical one. */
function holdsOdd(from: usize, count: i32): bool {
  let found = i32x4.splat(0)
  const end = from + usize(count & ~3) * 4
  for (; from < end; from += 16) found = v128.or(found, odd(v128.load(from)))
  for (let i = count & 3; i > 0; i--, from += 4) found = v128.or(found, odd(v128.load32_splat(from)))
  return v128.any_true(found)
}

/** Lanes of 16 bits side by side, the second of them the upper halves: the first four. */
// @ts-ignore: decorator
@inline
function low(lower: v128, upper: v128): v128 {
  return i8x16.shuffle(lower, upper, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23)
}

/** The last four. */
// @ts-ignore: decorator
@inline
function high(lower: v128, upper: v128): v128 {
  return i8x16.shuffle(lower, upper, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31)
}

/** Where the elements of a value lie that are to grow forward into it from `at` on. */
export function startOf(at: usize, count: i32, kind: i32): usize {
  if (kind == BFLOAT16 || kind == FLOAT16) return at + usize((count + 7) & ~7) * 2
  return kind == BYTES || kind == BOOL ? at + usize(count) * 3 : at
}

/**
 * Reads `count` elements as storage has them, of 16 bits up to seven more, of 8 bits up to three; true where a NaN is not the
 * canonical one. float32 and float64 stay where they are.
 */
export function enter(from: usize, at: usize, count: i32, kind: i32, table: usize): bool {
  let found = i32x4.splat(0)
  switch (kind) {
    case FLOAT32: {
      // NaNs are rare: at first it is asked for any.
      let found = i32x4.splat(0)
      const start = from
      for (const end = from + usize(count & ~15) * 4; from < end; from += 64) {
        const x = v128.load(from)
        const y = v128.load(from, 16)
        const z = v128.load(from, 32)
        const w = v128.load(from, 48)
        found = v128.or(found, v128.or(f32x4.ne(x, x), f32x4.ne(y, y)))
        found = v128.or(found, v128.or(f32x4.ne(z, z), f32x4.ne(w, w)))
      }
      return holdsOdd(from, count & 15) || (v128.any_true(found) && holdsOdd(start, count))
    }
    case BFLOAT16: {
      const start = at
      const zero = i32x4.splat(0)
      const magnitude = constant(entering, 0)
      let most = zero
      for (let i = 0; i < count; i += 8, from += 16, at += 32) {
        const codes = v128.load(from)
        most = i16x8.max_s(most, v128.and(codes, magnitude))
        v128.store(at, low(zero, codes))
        v128.store(at, high(zero, codes), 16)
      }
      return v128.any_true(i16x8.gt_s(most, constant(entering, 1))) && holdsOdd(start, (count + 7) & ~7)
    }
    case FLOAT16: {
      // In halves of float32, which are as many at once as codes. Below the normal numbers the binade is one less than it seems,
      // and its first bit is not there: one of that size is taken away.
      const zero = i32x4.splat(0)
      const magnitude = constant(entering, 0)
      const infinity = constant(entering, 2)
      const canonical = constant(entering, 3)
      const largest = constant(entering, 4)
      const bias = constant(entering, 5)
      const normal = constant(entering, 6)
      const one = constant(entering, 7)
      const first = constant(entering, 8)
      let found = zero
      for (let i = 0; i < count; i += 8, from += 16, at += 32) {
        const codes = v128.load(from)
        const size = v128.and(codes, magnitude)
        const sign = v128.xor(codes, size)
        found = v128.or(found, v128.andnot(i16x8.gt_s(size, infinity), i16x8.eq(codes, canonical)))
        const beyond = v128.and(i16x8.gt_s(size, largest), bias)
        const below = i16x8.gt_s(normal, size)
        const field = i16x8.add(i16x8.shr_u(size, 3), bias)
        const upper = i16x8.add(field, v128.or(beyond, v128.and(below, one)))
        const lower = i16x8.shl(codes, 13)
        const less = v128.and(below, first)
        v128.store(at, v128.or(f32x4.sub(low(lower, upper), low(zero, less)), low(zero, sign)))
        v128.store(at, v128.or(f32x4.sub(high(lower, upper), high(zero, less)), high(zero, sign)), 16)
      }
      return v128.any_true(found)
    }
    case BYTES: {
      // Codes of NaNs that are not canonical stand in the table as 0x7fc00001.
      let strange = false
      for (let i = count; i > 0; i -= 4, from += 4, at += 16) {
        const codes = load<u32>(from)
        const x = load<u32>(table + ((codes & 0xff) << 2))
        const y = load<u32>(table + (((codes >> 8) & 0xff) << 2))
        const z = load<u32>(table + (((codes >> 16) & 0xff) << 2))
        const w = load<u32>(table + ((codes >> 24) << 2))
        // No other value of these formats has the lowest bit.
        strange = strange || ((x | y | z | w) & 1) != 0
        store<u32>(at, x)
        store<u32>(at, y, 4)
        store<u32>(at, z, 8)
        store<u32>(at, w, 12)
      }
      return strange
    }
    case BOOL: {
      for (let i = 0; i < count; i++, from++, at += 4) store<i32>(at, -i32(load<u8>(from) != 0))
      return false
    }
    case FLOAT64: {
      let strange = false
      for (let i = 0; i < count; i++, from += 8) {
        const x = load<f64>(from)
        strange = strange || (x != x && reinterpret<u64>(x) != 0x7ff8000000000000)
      }
      return strange
    }
    default:
      return false
  }
}

/**
 * Writes `count` elements the way storage has them, of 16 bits up to seven more, of 8 bits up to 15, of others up to three; NaNs
 * become canonical.
 */
export function leave(at: usize, to: usize, count: i32, kind: i32, table: usize): void {
  switch (kind) {
    case FLOAT32: {
      for (let i = 0; i < count; i += 4, at += 16, to += 16) {
        const x = v128.load(at)
        v128.store(to, v128.bitselect(i32x4.splat(0x7fc00000), x, f32x4.ne(x, x)))
      }
      break
    }
    case BFLOAT16: {
      // Of NaNs there is 0x7fc00000, and that with a sign.
      const signed = constant(leaving, 7)
      for (let i = 0; i < count; i += 8, at += 32, to += 16) {
        const codes = i16x8.narrow_i32x4_u(i32x4.shr_u(v128.load(at), 16), i32x4.shr_u(v128.load(at, 16), 16))
        const isSigned = i16x8.eq(codes, signed)
        v128.store(to, i16x8.add(codes, i16x8.shl(isSigned, 15)))
      }
      break
    }
    case FLOAT16: {
      const magnitude = constant(leaving, 0)
      const least = constant(leaving, 1)
      const half = constant(leaving, 2)
      const bias = constant(leaving, 3)
      const infinity = constant(leaving, 4)
      const signBit = constant(leaving, 5)
      const quiet = constant(leaving, 6)
      for (let i = 0; i < count; i += 8, at += 32, to += 16) {
        const x = v128.load(at)
        const y = v128.load(at, 16)
        // What is too large saturates, infinity and NaN.
        const a = halfSize(v128.and(x, magnitude), least, half, bias)
        const b = halfSize(v128.and(y, magnitude), least, half, bias)
        const size = i16x8.min_s(i16x8.narrow_i32x4_s(a, b), infinity)
        const isNaN = i16x8.narrow_i32x4_s(f32x4.ne(x, x), f32x4.ne(y, y))
        const sign = v128.and(i16x8.narrow_i32x4_s(x, y), signBit)
        const signed = v128.or(size, v128.andnot(sign, isNaN))
        v128.store(to, v128.or(signed, v128.and(isNaN, quiet)))
      }
      break
    }
    case BYTES:
      leaveBytes(at, to, count, table)
      break
    case BOOL: {
      for (let i = 0; i < count; i++, at += 4, to++) store<u8>(to, u8(load<u32>(at) & 1))
      break
    }
    case FLOAT64: {
      for (let i = 0; i < count; i++, at += 8) {
        const x = load<f64>(at)
        if (x != x) store<u64>(at, 0x7ff8000000000000)
      }
      break
    }
    default:
  }
}

/** Codes of 8 bits and less, sixteen at a time; `record` as `leaveRecord` of src/tensors/compile has it. */
function leaveBytes(at: usize, to: usize, count: i32, record: usize): void {
  const magic = v128.load32_splat(record)
  const least = v128.load32_splat(record, 4)
  const bias = v128.load32_splat(record, 8)
  const infinity = v128.load32_splat(record, 12)
  const top = v128.load32_splat(record, 16)
  const factor = v128.load32_splat(record, 20)
  const signBit = v128.load32_splat(record, 24)
  const nan = v128.load32_splat(record, 28)
  const magnitude = constant(leaving, 0)
  const zero = i32x4.splat(0)
  for (let i = 0; i < count; i += 16, at += 64, to += 16) {
    const x = v128.load(at)
    const y = v128.load(at, 16)
    const z = v128.load(at, 32)
    const w = v128.load(at, 48)
    const p = v128.and(x, magnitude)
    const q = v128.and(y, magnitude)
    const r = v128.and(z, magnitude)
    const s = v128.and(w, magnitude)
    const a = i16x8.narrow_i32x4_s(field(p, least, bias), field(q, least, bias))
    const b = i16x8.narrow_i32x4_s(field(r, least, bias), field(s, least, bias))
    const c = i16x8.narrow_i32x4_s(counted(p, magic), counted(q, magic))
    const d = i16x8.narrow_i32x4_s(counted(r, magic), counted(s, magic))
    const isNaN = i8x16.narrow_i16x8_s(i16x8.gt_s(a, infinity), i16x8.gt_s(b, infinity))
    const e = i16x8.shr_u(i16x8.mul(i16x8.min_s(i16x8.min_s(a, c), top), factor), 8)
    const f = i16x8.shr_u(i16x8.mul(i16x8.min_s(i16x8.min_s(b, d), top), factor), 8)
    const size = i8x16.narrow_i16x8_u(e, f)
    const negative = i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(x, y), i16x8.narrow_i32x4_s(z, w))
    // Where a format has no -0 there is none among its values.
    const codes = v128.or(size, v128.and(i8x16.gt_s(zero, negative), signBit))
    v128.store(to, v128.bitselect(nan, codes, isNaN))
  }
}

/** The upper half of a number, its exponent that of the format: the code of a normal number, further up. */
// @ts-ignore: decorator
@inline
function field(size: v128, least: v128, bias: v128): v128 {
  return i32x4.shr_u(i32x4.sub(i32x4.max_s(size, least), bias), 16)
}

/** The same of a number below the normal ones, by counting the smallest numbers of the format in it; of others no less than that. */
// @ts-ignore: decorator
@inline
function counted(size: v128, magic: v128): v128 {
  return i32x4.sub(f32x4.add(size, magic), magic)
}

/** Codes of values that float16 holds without their signs, in 32 bits each; those of infinity and NaN are beyond 16 bits. */
// @ts-ignore: decorator
@inline
function halfSize(size: v128, least: v128, half: v128, bias: v128): v128 {
  const field = i32x4.shr_u(i32x4.max_s(size, least), 13)
  // The last place of 1/2 is float16's smallest number; counted by it normal numbers are no less than their codes.
  return i32x4.min_s(i32x4.sub(field, bias), i32x4.sub(f32x4.add(size, half), half))
}

/** Codes of values that float16 holds, in 32 bits each; a NaN becomes 0x7e00. */
// @ts-ignore: decorator
@inline
export function halfCodes(x: v128): v128 {
  const size = v128.and(x, i32x4.splat(0x7fffffff))
  // Of normal numbers: at least 2^-14, at most infinity.
  const field = i32x4.shr_u(i32x4.max_s(size, i32x4.splat(113 << 23)), 13)
  const normal = i32x4.min_s(i32x4.sub(field, i32x4.splat(112 << 10)), i32x4.splat(0x7c00))
  // The last place of 1/2 is float16's smallest number; counted by it normal numbers are no less than their codes.
  const subnormal = i32x4.sub(f32x4.add(size, f32x4.splat(0.5)), i32x4.splat(0x3f000000))
  const code = i32x4.min_s(normal, subnormal)
  const signed = v128.or(code, v128.and(i32x4.shr_u(x, 16), i32x4.splat(0x8000)))
  return v128.bitselect(i32x4.splat(0x7e00), signed, f32x4.ne(x, x))
}
