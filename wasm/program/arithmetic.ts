// Operations that round, over blocks of float32 values, sixteen at a time: buffers have room for what lies behind the last one.
// scripts/wasmCases.ts writes the function of each operation and rounding, and the switch that calls them.
import { MUL_WITHIN } from '../../src/tensors/compile/engine/opcodes'
import {
  beyond, bfloat16Record, masks, near, nearResult, nearSum, powers, result, rounded, toFinite, toOdd, toPower, word,
} from './rounding'

// @ts-ignore: decorator
@inline
function binary(kind: i32, x: v128, y: v128): v128 {
  if (kind == 0) return f32x4.add(x, y)
  if (kind == 1) return f32x4.sub(x, y)
  if (kind == 2 || kind == 5) return f32x4.mul(x, y)
  return f32x4.div(x, y)
}

/** A word of the record of a rounding that has one. */
// @ts-ignore: decorator
@inline
function wordOf(rounding: i32, record: usize, index: i32): v128 {
  return rounding > 0 ? word(record, index) : i32x4.splat(0)
}

// @ts-ignore: decorator
@inline
export function ofTwo(kind: i32, rounding: i32, to: usize, a: usize, b: usize, bytes: usize, record: usize): void {
  const own = rounding == 1 ? bfloat16Record : record
  const r0 = wordOf(rounding, own, 0)
  const r2 = wordOf(rounding, own, 2)
  const r3 = wordOf(rounding, own, 3)
  const r4 = wordOf(rounding, own, 4)
  const field = wordOf(rounding, masks, 0)
  const sign = wordOf(rounding, masks, 1)
  for (const end = to + bytes; to < end; to += 64, a += 64, b += 64) {
    const x = binary(kind, v128.load(a), v128.load(b))
    v128.store(to, result(kind, rounding, x, r0, r2, r3, r4, field, sign))
    const y = binary(kind, v128.load(a, 16), v128.load(b, 16))
    v128.store(to, result(kind, rounding, y, r0, r2, r3, r4, field, sign), 16)
    const z = binary(kind, v128.load(a, 32), v128.load(b, 32))
    v128.store(to, result(kind, rounding, z, r0, r2, r3, r4, field, sign), 32)
    const w = binary(kind, v128.load(a, 48), v128.load(b, 48))
    v128.store(to, result(kind, rounding, w, r0, r2, r3, r4, field, sign), 48)
  }
}

// @ts-ignore: decorator
@inline
export function rootOf(rounding: i32, to: usize, a: usize, bytes: usize, record: usize): void {
  const own = rounding == 1 ? bfloat16Record : record
  const r0 = wordOf(rounding, own, 0)
  const r2 = wordOf(rounding, own, 2)
  const r3 = wordOf(rounding, own, 3)
  const r4 = wordOf(rounding, own, 4)
  const field = wordOf(rounding, masks, 0)
  const sign = wordOf(rounding, masks, 1)
  for (const end = to + bytes; to < end; to += 32, a += 32) {
    v128.store(to, result(4, rounding, f32x4.sqrt(v128.load(a)), r0, r2, r3, r4, field, sign))
    v128.store(to, result(4, rounding, f32x4.sqrt(v128.load(a, 16)), r0, r2, r3, r4, field, sign), 16)
  }
}

/** float32 values rounded. */
// @ts-ignore: decorator
@inline
export function ofOne(rounding: i32, to: usize, a: usize, bytes: usize, record: usize): void {
  const r0 = wordOf(rounding, record, 0)
  const r1 = wordOf(rounding, record, 1)
  const r2 = wordOf(rounding, record, 2)
  const r3 = wordOf(rounding, record, 3)
  const r4 = wordOf(rounding, record, 4)
  for (const end = to + bytes; to < end; to += 32, a += 32) {
    v128.store(to, rounded(rounding, v128.load(a), r0, r1, r2, r3, r4))
    v128.store(to, rounded(rounding, v128.load(a, 16), r0, r1, r2, r3, r4), 16)
  }
}

// In a format where NaN lies beyond the largest value one that falls below the least has its sign: what results reach is kept, the
// least of all, which is -Infinity then. NaN is passed over: pmin gives its first operand unless the second is smaller.

/** Sums and the like in such a format; true where one of `count` became a NaN with a sign. */
// @ts-ignore: decorator
@inline
export function ofTwoTop(kind: i32, to: usize, a: usize, b: usize, record: usize, count: i32): bool {
  const r0 = word(record, 0)
  const r2 = word(record, 2)
  const r3 = word(record, 3)
  const r4 = word(record, 4)
  const field = word(masks, 0)
  let least = f32x4.splat(0)
  let left = count
  for (; left >= 8; left -= 8, to += 32, a += 32, b += 32) {
    const x = binary(kind, v128.load(a), v128.load(b))
    const nearX = kind < 2 ? nearSum(x, r2, field) : nearResult(x, r0, r2, field)
    const reachedX = f32x4.mul(nearX, r3)
    least = f32x4.pmin(least, reachedX)
    v128.store(to, beyond(x, nearX, reachedX, r4))
    const y = binary(kind, v128.load(a, 16), v128.load(b, 16))
    const nearY = kind < 2 ? nearSum(y, r2, field) : nearResult(y, r0, r2, field)
    const reachedY = f32x4.mul(nearY, r3)
    least = f32x4.pmin(least, reachedY)
    v128.store(to, beyond(y, nearY, reachedY, r4), 16)
  }
  for (; left > 0; left -= 4, to += 16, a += 16, b += 16) {
    const x = binary(kind, v128.load(a), v128.load(b))
    const nearX = kind < 2 ? nearSum(x, r2, field) : nearResult(x, r0, r2, field)
    const reachedX = f32x4.mul(nearX, r3)
    least = f32x4.pmin(least, v128.and(reachedX, first(left)))
    v128.store(to, beyond(x, nearX, reachedX, r4))
  }
  return fell(least, r4)
}

// @ts-ignore: decorator
@inline
export function ofOneTop(kind: i32, to: usize, a: usize, record: usize, count: i32): bool {
  const r0 = word(record, 0)
  const r1 = word(record, 1)
  const r2 = word(record, 2)
  const r3 = word(record, 3)
  const r4 = word(record, 4)
  const step: usize = kind == 6 ? 32 : 16
  let least = f32x4.splat(0)
  for (let left = count; left > 0; left -= 4, to += 16, a += step) {
    const x = kind == 6 ? toOdd(v128.load(a), v128.load(a, 16)) : v128.load(a)
    const nearX = near(x, r0, r1, r2)
    const reachedX = f32x4.mul(nearX, r3)
    least = f32x4.pmin(least, v128.and(reachedX, first(left)))
    v128.store(to, beyond(x, nearX, reachedX, r4))
  }
  return fell(least, r4)
}

/** The first elements of four, so many as are left. */
// @ts-ignore: decorator
@inline
function first(left: i32): v128 {
  return i32x4.gt_s(i32x4.splat(left), i32x4(0, 1, 2, 3))
}

// @ts-ignore: decorator
@inline
function fell(least: v128, signs: v128): bool {
  return v128.any_true(v128.and(signs, f32x4.eq(least, f32x4.splat(-Infinity))))
}

/** Whether one of some float32 elements is a NaN with its sign set. */
export function holdsSigned(at: usize, count: i32): bool {
  for (let i = 0; i < count; i++, at += 4) if (load<u32>(at) > 0xff800000) return true
  return false
}

/** Whether one of some float32 elements is a NaN. */
export function holdsNaN(at: usize, count: i32): bool {
  let found = i32x4.splat(0)
  const end = at + usize(count & ~3) * 4
  for (; at < end; at += 16) {
    const x = v128.load(at)
    found = v128.or(found, f32x4.ne(x, x))
  }
  for (let i = count & 3; i > 0; i--, at += 4) {
    const x = v128.load32_splat(at)
    found = v128.or(found, f32x4.ne(x, x))
  }
  return v128.any_true(found)
}

/** Float64 values to float32 and narrower, by way of one rounding to odd. */
// @ts-ignore: decorator
@inline
export function narrowed(rounding: i32, to: usize, a: usize, bytes: usize, record: usize): void {
  const r0 = wordOf(rounding, record, 0)
  const r1 = wordOf(rounding, record, 1)
  const r2 = wordOf(rounding, record, 2)
  const r3 = wordOf(rounding, record, 3)
  const r4 = wordOf(rounding, record, 4)
  for (const end = to + bytes; to < end; to += 16, a += 32) {
    const x = toOdd(v128.load(a), v128.load(a, 16))
    v128.store(to, rounded(rounding, x, r0, r1, r2, r3, r4))
  }
}

/** Float64 values rounded to odd. */
export function narrowOdd(to: usize, a: usize, bytes: usize): void {
  for (const end = to + bytes; to < end; to += 16, a += 32) v128.store(to, toOdd(v128.load(a), v128.load(a, 16)))
}

/** float32 values rounded to a format without a NaN. */
export function roundFinite(to: usize, a: usize, bytes: usize, record: usize): void {
  const least = word(record, 0)
  const lift = word(record, 2)
  const largest = word(record, 3)
  const exponents = word(masks, 0)
  const sign = word(masks, 1)
  for (const end = to + bytes; to < end; to += 16, a += 16) {
    v128.store(to, toFinite(v128.load(a), least, lift, largest, exponents, sign))
  }
}

/** float32 values rounded to powers of two, or products and quotients of such. */
export function roundPower(to: usize, a: usize, bytes: usize, isProduct: bool): void {
  const above = word(powers, i32(isProduct))
  const first = word(powers, 2)
  const below = word(powers, 3)
  const last = word(powers, 4)
  const exponents = word(powers, 5)
  const nan = word(powers, 6)
  for (const end = to + bytes; to < end; to += 16, a += 16) {
    v128.store(to, toPower(v128.load(a), above, first, below, last, exponents, nan))
  }
}

export function toFloat32(to: usize, a: usize, bytes: usize): void {
  for (const end = to + bytes; to < end; to += 16, a += 32) {
    const x = f32x4.demote_f64x2_zero(v128.load(a))
    const y = f32x4.demote_f64x2_zero(v128.load(a, 16))
    v128.store(to, i8x16.shuffle(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23))
  }
}

function mulWithinFormat(to: usize, a: usize, b: usize, bytes: usize, record: usize): void { ofTwo(5, 2, to, a, b, bytes, record) }
function mulWithinTop(to: usize, a: usize, b: usize, bytes: usize, record: usize): void { ofTwo(5, 3, to, a, b, bytes, record) }

/** A product by what is no more than 1, which cannot be too large; rounded to a format of one kind or the other. */
export function runMulWithin(opcode: i32, to: usize, a: usize, b: usize, count: i32, record: usize): void {
  const bytes = usize((count + 15) & ~15) << 2
  if (opcode == MUL_WITHIN) mulWithinFormat(to, a, b, bytes, record)
  else mulWithinTop(to, a, b, bytes, record)
}
