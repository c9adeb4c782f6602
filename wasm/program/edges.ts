// Elements on their way in and out, in place: codes lie at the end of their buffer and grow forward into it, results shrink
// to its front.
import { valuesOf } from '../assembly/half'
import { BFLOAT16, BOOL, BYTES, FLOAT16, FLOAT32, FLOAT64 } from '../../src/compile/opcodes'

/** True where float32 values hold a NaN other than the canonical one. */
// @ts-ignore: decorator
@inline
function odd(x: v128): v128 {
  return v128.and(f32x4.ne(x, x), v128.not(i32x4.eq(x, i32x4.splat(0x7fc00000))))
}

/** Reads `count` elements into the values of a buffer; true where a NaN is not the canonical one. */
export function enter(at: usize, count: i32, kind: i32, table: usize): bool {
  let found = i32x4.splat(0)
  switch (kind) {
    case FLOAT32: {
      const end = at + usize(count & ~3) * 4
      for (; at < end; at += 16) found = v128.or(found, odd(v128.load(at)))
      for (let i = count & 3; i > 0; i--, at += 4) found = v128.or(found, odd(v128.load32_splat(at)))
      return v128.any_true(found)
    }
    case BFLOAT16: {
      const pairs = (count + 7) & ~7
      let from = at + usize(pairs) * 2
      for (let i = 0; i < pairs; i += 8, from += 16, at += 32) {
        const codes = v128.load(from)
        const x = i32x4.shl(i32x4.extend_low_i16x8_u(codes), 16)
        const y = i32x4.shl(i32x4.extend_high_i16x8_u(codes), 16)
        found = v128.or(found, v128.or(odd(x), odd(y)))
        v128.store(at, x)
        v128.store(at, y, 16)
      }
      return v128.any_true(found)
    }
    case FLOAT16: {
      const pairs = (count + 7) & ~7
      let from = at + usize(pairs) * 2
      for (let i = 0; i < pairs; i += 8, from += 16, at += 32) {
        const codes = v128.load(from)
        const x = valuesOf(i32x4.extend_low_i16x8_u(codes))
        const y = valuesOf(i32x4.extend_high_i16x8_u(codes))
        found = v128.or(found, v128.or(odd(x), odd(y)))
        v128.store(at, x)
        v128.store(at, y, 16)
      }
      return v128.any_true(found)
    }
    case BYTES: {
      // Codes of NaNs that are not canonical stand in the table as 0x7fc00001.
      let from = at + usize(count) * 3
      let strange = false
      let i = count
      for (; i >= 4; i -= 4, from += 4, at += 16) {
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
      for (; i > 0; i--, from++, at += 4) {
        const bits = load<u32>(table + (usize(load<u8>(from)) << 2))
        strange = strange || (bits & 1) != 0
        store<u32>(at, bits)
      }
      return strange
    }
    case BOOL: {
      let from = at + usize(count) * 3
      for (let i = 0; i < count; i++, from++, at += 4) store<i32>(at, -i32(load<u8>(from) != 0))
      return false
    }
    case FLOAT64: {
      let strange = false
      for (let i = 0; i < count; i++, at += 8) {
        const x = load<f64>(at)
        strange = strange || (x != x && reinterpret<u64>(x) != 0x7ff8000000000000)
      }
      return strange
    }
    default:
      return false
  }
}

/** Writes the elements of a buffer the way storage has them, to its front; NaNs become canonical. */
export function leave(at: usize, count: i32, kind: i32, table: usize): void {
  let to = at
  switch (kind) {
    case FLOAT32: {
      for (let i = 0; i < count; i += 4, at += 16) {
        const x = v128.load(at)
        v128.store(at, v128.bitselect(i32x4.splat(0x7fc00000), x, f32x4.ne(x, x)))
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
  const normal = i32x4.min_u(i32x4.sub(i32x4.shr_u(size, 13), i32x4.splat(112 << 10)), i32x4.splat(0x7c00))
  const subnormal = i32x4.trunc_sat_f32x4_s(f32x4.mul(size, f32x4.splat(16777216)))
  const code = v128.bitselect(subnormal, normal, i32x4.lt_s(size, i32x4.splat(113 << 23)))
  const signed = v128.or(code, i32x4.shl(i32x4.shr_u(x, 31), 15))
  return v128.bitselect(i32x4.splat(0x7e00), signed, f32x4.ne(x, x))
}
