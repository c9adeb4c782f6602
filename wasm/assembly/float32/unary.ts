// The unary functions of float32 over arrays: float32 at `from` -> float32 at `to`, which may be `from`. The functions
// themselves are those of src/numbers/functions/float32, compiled from the same text: scripts/buildWasm.ts puts it beside this.
import { exp2, expm1, sinh, cosh } from './exponential'
import { log2, log10, log1p, asinh, acosh, atanh } from './logarithm'
import { sin, cos, tan } from './trigonometric'
import { asin, acos, atan } from './inverse'
import { erfc } from './errorFunction'
import { cbrt, rsqrt } from './roots'

// @ts-ignore: decorator
@inline
function put(to: usize, y: f64): void {
  store<f32>(to, y == y ? f32(y) : reinterpret<f32>(0x7fc00000))
}

export function exp2Float32(from: usize, to: usize, count: i32): void {
  for (const end = to + count * 4; to < end; from += 4, to += 4) put(to, exp2(f64(load<f32>(from))))
}

export function expm1Float32(from: usize, to: usize, count: i32): void {
  for (const end = to + count * 4; to < end; from += 4, to += 4) put(to, expm1(f64(load<f32>(from))))
}

export function sinhFloat32(from: usize, to: usize, count: i32): void {
  for (const end = to + count * 4; to < end; from += 4, to += 4) put(to, sinh(f64(load<f32>(from))))
}

export function coshFloat32(from: usize, to: usize, count: i32): void {
  for (const end = to + count * 4; to < end; from += 4, to += 4) put(to, cosh(f64(load<f32>(from))))
}

export function log2Float32(from: usize, to: usize, count: i32): void {
  for (const end = to + count * 4; to < end; from += 4, to += 4) put(to, log2(f64(load<f32>(from))))
}

export function log10Float32(from: usize, to: usize, count: i32): void {
  for (const end = to + count * 4; to < end; from += 4, to += 4) put(to, log10(f64(load<f32>(from))))
}

export function log1pFloat32(from: usize, to: usize, count: i32): void {
  for (const end = to + count * 4; to < end; from += 4, to += 4) put(to, log1p(f64(load<f32>(from))))
}

export function asinhFloat32(from: usize, to: usize, count: i32): void {
  for (const end = to + count * 4; to < end; from += 4, to += 4) put(to, asinh(f64(load<f32>(from))))
}

export function acoshFloat32(from: usize, to: usize, count: i32): void {
  for (const end = to + count * 4; to < end; from += 4, to += 4) put(to, acosh(f64(load<f32>(from))))
}

export function atanhFloat32(from: usize, to: usize, count: i32): void {
  for (const end = to + count * 4; to < end; from += 4, to += 4) put(to, atanh(f64(load<f32>(from))))
}

export function sinFloat32(from: usize, to: usize, count: i32): void {
  for (const end = to + count * 4; to < end; from += 4, to += 4) put(to, sin(f64(load<f32>(from))))
}

export function cosFloat32(from: usize, to: usize, count: i32): void {
  for (const end = to + count * 4; to < end; from += 4, to += 4) put(to, cos(f64(load<f32>(from))))
}

export function tanFloat32(from: usize, to: usize, count: i32): void {
  for (const end = to + count * 4; to < end; from += 4, to += 4) put(to, tan(f64(load<f32>(from))))
}

export function asinFloat32(from: usize, to: usize, count: i32): void {
  for (const end = to + count * 4; to < end; from += 4, to += 4) put(to, asin(f64(load<f32>(from))))
}

export function acosFloat32(from: usize, to: usize, count: i32): void {
  for (const end = to + count * 4; to < end; from += 4, to += 4) put(to, acos(f64(load<f32>(from))))
}

export function atanFloat32(from: usize, to: usize, count: i32): void {
  for (const end = to + count * 4; to < end; from += 4, to += 4) put(to, atan(f64(load<f32>(from))))
}

export function erfcFloat32(from: usize, to: usize, count: i32): void {
  for (const end = to + count * 4; to < end; from += 4, to += 4) put(to, erfc(f64(load<f32>(from))))
}

export function cbrtFloat32(from: usize, to: usize, count: i32): void {
  for (const end = to + count * 4; to < end; from += 4, to += 4) put(to, cbrt(f64(load<f32>(from))))
}

export function rsqrtFloat32(from: usize, to: usize, count: i32): void {
  for (const end = to + count * 4; to < end; from += 4, to += 4) put(to, rsqrt(f64(load<f32>(from))))
}
