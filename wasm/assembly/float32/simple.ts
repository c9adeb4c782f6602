// The functions of float32 that one instruction or two compute, four at a time: float32 at `from` -> float32 at `to`, which
// may be `from`; counts rounded up to a multiple of 4. NaN results are canonical.
import { canonical } from './arithmetic'

// @ts-ignore: decorator
@inline
function operation(kind: i32, x: v128): v128 {
  if (kind == 0) return f32x4.sqrt(x)
  if (kind == 1) return f32x4.div(f32x4.splat(1), x)
  if (kind == 2) return f32x4.mul(x, x)
  if (kind == 3) return f32x4.abs(x)
  if (kind == 4) return f32x4.neg(x)
  if (kind == 5) return f32x4.floor(x)
  if (kind == 6) return f32x4.ceil(x)
  if (kind == 7) return f32x4.nearest(x)
  if (kind == 8) return f32x4.trunc(x)
  // x where it is above 0 or NaN, else +0.
  if (kind == 9) return v128.andnot(x, f32x4.le(x, f32x4.splat(0)))
  // 1 with the sign of x; x itself where it is 0 or NaN.
  const one = v128.or(v128.and(x, i32x4.splat(i32(0x80000000))), f32x4.splat(1))
  return v128.bitselect(one, x, v128.or(f32x4.lt(x, f32x4.splat(0)), f32x4.gt(x, f32x4.splat(0))))
}

// @ts-ignore: decorator
@inline
function each(kind: i32, from: usize, to: usize, count: i32): void {
  const end = to + ((count + 3) & ~3) * 4
  for (; to < end; from += 16, to += 16) v128.store(to, canonical(operation(kind, v128.load(from))))
}

export function sqrtFloat32(from: usize, to: usize, count: i32): void {
  each(0, from, to, count)
}

export function reciprocalFloat32(from: usize, to: usize, count: i32): void {
  each(1, from, to, count)
}

export function squareFloat32(from: usize, to: usize, count: i32): void {
  each(2, from, to, count)
}

export function absFloat32(from: usize, to: usize, count: i32): void {
  each(3, from, to, count)
}

export function negFloat32(from: usize, to: usize, count: i32): void {
  each(4, from, to, count)
}

export function floorFloat32(from: usize, to: usize, count: i32): void {
  each(5, from, to, count)
}

export function ceilFloat32(from: usize, to: usize, count: i32): void {
  each(6, from, to, count)
}

export function rintFloat32(from: usize, to: usize, count: i32): void {
  each(7, from, to, count)
}

export function truncFloat32(from: usize, to: usize, count: i32): void {
  each(8, from, to, count)
}

export function reluFloat32(from: usize, to: usize, count: i32): void {
  each(9, from, to, count)
}

export function signFloat32(from: usize, to: usize, count: i32): void {
  each(10, from, to, count)
}
