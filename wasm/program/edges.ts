// Elements on their way in and out: whole values in place, where codes lie at the end of their buffer and grow forward into it
// and results shrink to its front, or a block of a value that lies in memory as storage has it.
import { valuesOf } from '../assembly/half'
import { BFLOAT16, BOOL, BYTES, FLOAT16, FLOAT32, FLOAT64 } from '../../src/compile/engine/opcodes'

/** True where float32 values hold a NaN other than the canonical one. */
// @ts-ignore: decorator
@inline
function odd(x: v128): v128 {
  return v128.and(f32x4.ne(x, x), v128.not(i32x4.eq(x, i32x4.splat(0x7fc00000))))
}

/** True where codes of 16 bits hold a NaN, which lies beyond infinity, other than the canonical one. */
// @ts-ignore: decorator
@inline
function oddCodes(codes: v128, infinity: i16, canonical: i16): v128 {
  const isNaN = i16x8.gt_s(v128.and(codes, i16x8.splat(0x7fff)), i16x8.splat(infinity))
  return v128.andnot(isNaN, i16x8.eq(codes, i16x8.splat(canonical)))
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
      const end = from + usize(count & ~3) * 4
      for (; from < end; from += 16) found = v128.or(found, odd(v128.load(from)))
      for (let i = count & 3; i > 0; i--, from += 4) found = v128.or(found, odd(v128.load32_splat(from)))
      return v128.any_true(found)
    }
    case BFLOAT16: {
      for (let i = 0; i < count; i += 8, from += 16, at += 32) {
        const codes = v128.load(from)
        found = v128.or(found, oddCodes(codes, 0x7f80, 0x7fc0))
        v128.store(at, i32x4.shl(i32x4.extend_low_i16x8_u(codes), 16))
        v128.store(at, i32x4.shl(i32x4.extend_high_i16x8_u(codes), 16), 16)
      }
      return v128.any_true(found)
    }
    case FLOAT16: {
      for (let i = 0; i < count; i += 8, from += 16, at += 32) {
        const codes = v128.load(from)
        found = v128.or(found, oddCodes(codes, 0x7c00, 0x7e00))
        v128.store(at, valuesOf(i32x4.extend_low_i16x8_u(codes)))
        v128.store(at, valuesOf(i32x4.extend_high_i16x8_u(codes)), 16)
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

/** Writes `count` elements the way storage has them, of 16 bits up to seven more, of others up to three; NaNs become canonical. */
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
      for (let i = 0; i < count; i += 8, at += 32, to += 16) {
        const x = v128.load(at)
        const y = v128.load(at, 16)
        const a = i32x4.shr_u(v128.bitselect(i32x4.splat(0x7fc00000), x, f32x4.ne(x, x)), 16)
        const b = i32x4.shr_u(v128.bitselect(i32x4.splat(0x7fc00000), y, f32x4.ne(y, y)), 16)
        v128.store(to, i16x8.narrow_i32x4_u(a, b))
      }
      break
    }
    case FLOAT16: {
      for (let i = 0; i < count; i += 8, at += 32, to += 16) {
        v128.store(to, i16x8.narrow_i32x4_u(halfCodes(v128.load(at)), halfCodes(v128.load(at, 16))))
      }
      break
    }
    case BYTES: {
      // Four at a time: what lies behind the last element is written to what this has read.
      for (let i = 0; i < count; i += 4, at += 16, to += 4) {
        const x = v128.load(at)
        const upper = i32x4.shr_u(v128.bitselect(i32x4.splat(0x7fc00000), x, f32x4.ne(x, x)), 16)
        const a = u32(load<u8>(table + i32x4.extract_lane(upper, 0)))
        const b = u32(load<u8>(table + i32x4.extract_lane(upper, 1)))
        const c = u32(load<u8>(table + i32x4.extract_lane(upper, 2)))
        const d = u32(load<u8>(table + i32x4.extract_lane(upper, 3)))
        store<u32>(to, a | (b << 8) | (c << 16) | (d << 24))
      }
      break
    }
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
