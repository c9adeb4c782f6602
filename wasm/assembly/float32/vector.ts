// The most used unary functions of float32, four at a time: float32 at `from` -> float32 at `to`, which may be `from`; counts
// rounded up to a multiple of 4. A float64 value with an error below 2^-40 of itself is rounded where both ends of that
// interval round alike, NaN nowhere; else the four are left to the scalar functions, about once in 2^12 of them.
import { erf, gelu } from './errorFunction'
import { exp, geluTanh, sigmoid, silu, tanh } from './exponential'
import { log, softplus } from './logarithm'
import { errors, numbers, tails } from './numbers'

const below = 1.0 - 9.094947017729282e-13
const above = 1.0 + 9.094947017729282e-13
const magic = 6755399441055744.0

// @ts-ignore: decorator
@inline
function upper(x: v128): v128 {
  return f64x2.promote_low_f32x4(v128.shuffle<f32>(x, x, 2, 3, 2, 3))
}

// @ts-ignore: decorator
@inline
function rounded(y: v128, z: v128, factor: f64): v128 {
  const by = f64x2.splat(factor)
  return v128.shuffle<f32>(
    f32x4.demote_f64x2_zero(f64x2.mul(y, by)),
    f32x4.demote_f64x2_zero(f64x2.mul(z, by)),
    0,
    1,
    4,
    5,
  )
}

// @ts-ignore: decorator
@inline
function canonicalNumber(y: f64): f32 {
  return y == y ? f32(y) : reinterpret<f32>(0x7fc00000)
}

// @ts-ignore: decorator
@inline
function scalar(kind: i32, x: f32): f32 {
  if (kind == 0) return canonicalNumber(exp(x))
  if (kind == 1) return canonicalNumber(sigmoid(x))
  if (kind == 2) return canonicalNumber(silu(x))
  if (kind == 3) return canonicalNumber(geluTanh(x))
  if (kind == 4) return canonicalNumber(tanh(x))
  if (kind == 5) return canonicalNumber(log(x))
  if (kind == 6) return canonicalNumber(erf(x))
  if (kind == 7) return canonicalNumber(gelu(x))
  return canonicalNumber(softplus(x))
}

function slowly(kind: i32, x: v128, to: usize): void {
  store<f32>(to, scalar(kind, f32x4.extract_lane(x, 0)))
  store<f32>(to, scalar(kind, f32x4.extract_lane(x, 1)), 4)
  store<f32>(to, scalar(kind, f32x4.extract_lane(x, 2)), 8)
  store<f32>(to, scalar(kind, f32x4.extract_lane(x, 3)), 12)
}

// exp(x) = 2^n exp(r), |r| <= ln(2) / 2: r + r^2 times a polynomial, 2^-44 of exp(r) off.

// @ts-ignore: decorator
@inline
function turns(x: v128): v128 {
  return f64x2.add(f64x2.mul(x, f64x2.splat(1.4426950408889634)), f64x2.splat(magic))
}

// @ts-ignore: decorator
@inline
function smallExpm1(x: v128, turned: v128): v128 {
  const n = f64x2.sub(turned, f64x2.splat(magic))
  const r = f64x2.sub(x, f64x2.mul(n, f64x2.splat(0.6931471805599453)))
  const r2 = f64x2.mul(r, r)
  const a = f64x2.add(f64x2.splat(0.4999999999995511), f64x2.mul(r, f64x2.splat(0.16666666666662586)))
  const b = f64x2.add(f64x2.splat(0.04166666678626573), f64x2.mul(r, f64x2.splat(0.00833333334420298)))
  const c = f64x2.add(f64x2.splat(0.0013888839110572009), f64x2.mul(r, f64x2.splat(0.00019841224599656011)))
  const d = f64x2.add(f64x2.splat(2.4867870179687727e-5), f64x2.mul(r, f64x2.splat(2.7617564785876086e-6)))
  const ab = f64x2.add(a, f64x2.mul(r2, b))
  const cd = f64x2.add(c, f64x2.mul(r2, d))
  const p = f64x2.add(ab, f64x2.mul(f64x2.mul(r2, r2), cd))
  return f64x2.add(r, f64x2.mul(r2, p))
}

/** exp(x) for |x| <= 700. */
// @ts-ignore: decorator
@inline
function expOf(x: v128): v128 {
  const turned = turns(x)
  const y = f64x2.add(f64x2.splat(1), smallExpm1(x, turned))
  // The lowest bits of what `magic` was added to are n: they go to the exponent.
  return i64x2.add(y, i64x2.shl(turned, 52))
}

/** exp(x) - 1 for |x| <= 700. */
// @ts-ignore: decorator
@inline
function expm1Of(x: v128): v128 {
  const turned = turns(x)
  const p = smallExpm1(x, turned)
  const power = i64x2.add(f64x2.splat(1), i64x2.shl(turned, 52))
  return f64x2.add(f64x2.sub(power, f64x2.splat(1)), f64x2.mul(power, p))
}

// @ts-ignore: decorator
@inline
function onePlusExpMinus(x: v128): v128 {
  return f64x2.add(f64x2.splat(1), expOf(f64x2.neg(x)))
}

/** log(x) of a normal positive x: m about 1, s = (m - 1) / (m + 1), log m = 2 atanh s. */
// @ts-ignore: decorator
@inline
function logOf(x: v128): v128 {
  const rootHalf = i64x2.splat(0x3fe6a09e667f3bcd)
  const k = i64x2.shr_s(i64x2.sub(x, rootHalf), 52)
  const m = i64x2.sub(x, i64x2.shl(k, 52))
  const n = f64x2.sub(i64x2.add(k, f64x2.splat(magic)), f64x2.splat(magic))
  const s = f64x2.div(f64x2.sub(m, f64x2.splat(1)), f64x2.add(m, f64x2.splat(1)))
  const z = f64x2.mul(s, s)
  const z2 = f64x2.mul(z, z)
  const a = f64x2.add(f64x2.splat(0.6666666666666208), f64x2.mul(z, f64x2.splat(0.40000000011206505)))
  const b = f64x2.add(f64x2.splat(0.2857142413832416), f64x2.mul(z, f64x2.splat(0.22222862280108716)))
  const c = f64x2.add(f64x2.splat(0.18140193802865992), f64x2.mul(z, f64x2.splat(0.16621817152858928)))
  const h = f64x2.add(a, f64x2.mul(z2, f64x2.add(b, f64x2.mul(z2, c))))
  const small = f64x2.add(f64x2.add(s, s), f64x2.mul(f64x2.mul(s, z), h))
  return f64x2.add(f64x2.mul(n, f64x2.splat(0.6931471805599453)), small)
}

// @ts-ignore: decorator
@inline
function pair(first: usize, second: usize, offset: usize): v128 {
  return v128.load64_lane(second + offset, v128.load64_splat(first + offset), 1)
}

/** A polynomial of two rows of 14 numbers, each with its centre first, at two numbers. */
// @ts-ignore: decorator
@inline
function piecesOf(a: usize, b: usize, x: v128): v128 {
  const t = f64x2.sub(x, pair(a, b, 0))
  let sum = f64x2.add(f64x2.mul(pair(a, b, 104), t), pair(a, b, 96))
  sum = f64x2.add(f64x2.mul(sum, t), pair(a, b, 88))
  sum = f64x2.add(f64x2.mul(sum, t), pair(a, b, 80))
  sum = f64x2.add(f64x2.mul(sum, t), pair(a, b, 72))
  sum = f64x2.add(f64x2.mul(sum, t), pair(a, b, 64))
  sum = f64x2.add(f64x2.mul(sum, t), pair(a, b, 56))
  sum = f64x2.add(f64x2.mul(sum, t), pair(a, b, 48))
  sum = f64x2.add(f64x2.mul(sum, t), pair(a, b, 40))
  sum = f64x2.add(f64x2.mul(sum, t), pair(a, b, 32))
  sum = f64x2.add(f64x2.mul(sum, t), pair(a, b, 24))
  sum = f64x2.add(f64x2.mul(sum, t), pair(a, b, 16))
  return f64x2.add(f64x2.mul(sum, t), pair(a, b, 8))
}

/** erf(x) for 0 <= x < 4. */
// @ts-ignore: decorator
@inline
function erfOf(x: v128): v128 {
  const parts = i32x4.trunc_sat_f64x2_u_zero(f64x2.mul(x, f64x2.splat(4)))
  const start = numbers + errors * 8
  const first = usize(i32x4.extract_lane(parts, 0)) * 112
  return piecesOf(start + first, start + usize(i32x4.extract_lane(parts, 1)) * 112, x)
}

/** erfc(x) exp(x^2) for 0 <= x < 16. */
// @ts-ignore: decorator
@inline
function scaledErfcOf(x: v128): v128 {
  // Four parts an octave: exponent and two bits, counted from 1/4; below it the first row.
  const places = i32x4.sub(i32x4.shr_u(x, 18), i32x4.splat(0xff3))
  const rows = i32x4.min_s(i32x4.max_s(places, i32x4.splat(0)), i32x4.splat(24))
  const start = numbers + tails * 8
  const first = usize(i32x4.extract_lane(rows, 1)) * 112
  return piecesOf(start + first, start + usize(i32x4.extract_lane(rows, 3)) * 112, x)
}

/** The value of two operands; those of log are positive, the sizes of the others within what a comment above allows. */
// @ts-ignore: decorator
@inline
function value(kind: i32, x: v128): v128 {
  if (kind == 0) return expOf(x)
  if (kind == 1) return f64x2.div(f64x2.splat(1), onePlusExpMinus(x))
  if (kind == 2) return f64x2.div(x, onePlusExpMinus(x))
  if (kind == 3) {
    const cube = f64x2.mul(f64x2.mul(x, x), x)
    const u = f64x2.add(x, f64x2.mul(cube, f64x2.splat(0.044715)))
    const twice = f64x2.mul(u, f64x2.splat(1.5957691216057308))
    return f64x2.div(x, onePlusExpMinus(twice))
  }
  if (kind == 4) {
    const e = expm1Of(f64x2.add(x, x))
    return f64x2.div(e, f64x2.add(e, f64x2.splat(2)))
  }
  if (kind == 5) return logOf(x)
  if (kind == 6) return erfOf(x)
  if (kind == 8) return softplusOf(x)
  // gelu: x less the tail, or the tail.
  const size = f64x2.abs(x)
  const z = f64x2.mul(size, f64x2.splat(0.7071067811865476))
  const power = expOf(f64x2.mul(f64x2.mul(size, size), f64x2.splat(-0.5)))
  const tail = f64x2.mul(f64x2.mul(size, f64x2.splat(0.5)), f64x2.mul(power, scaledErfcOf(z)))
  return f64x2.sub(f64x2.max(x, f64x2.splat(0)), tail)
}

/** What a logarithm is where it is no finite number: x = 0, infinite, below 0 or NaN. */
// @ts-ignore: decorator
@inline
function logLimits(x: v128): v128 {
  const rest = v128.bitselect(x, i32x4.splat(0x7fc00000), f32x4.gt(x, f32x4.splat(0)))
  return v128.bitselect(f32x4.splat(-Infinity), rest, f32x4.eq(x, f32x4.splat(0)))
}

/** log(1 + exp(x)) = max(x, 0) + log(u) + (t - (u - 1)) / u, t = exp(-|x|), u = 1 + t. */
// @ts-ignore: decorator
@inline
function softplusOf(x: v128): v128 {
  const t = expOf(f64x2.neg(f64x2.abs(x)))
  const u = f64x2.add(t, f64x2.splat(1))
  const lost = f64x2.sub(t, f64x2.sub(u, f64x2.splat(1)))
  return f64x2.add(f64x2.max(x, f64x2.splat(0)), f64x2.add(logOf(u), f64x2.div(lost, u)))
}

// @ts-ignore: decorator
@inline
function each(kind: i32, from: usize, to: usize, count: i32): void {
  const sign = i32x4.splat(i32(0x80000000))
  for (const end = to + ((count + 3) & ~3) * 4; to < end; from += 16, to += 16) {
    const given = v128.load(from)
    let x = given
    let open = i32x4.splat(0)
    // What has a finite logarithm.
    const number = v128.and(f32x4.gt(x, f32x4.splat(0)), f32x4.lt(x, f32x4.splat(Infinity)))
    // Within bounds beyond which the result is the same; pmin and pmax of x first keep its NaN.
    if (kind == 4) { x = f32x4.pmin(v128.andnot(x, sign), f32x4.splat(20))
}
    else if (kind == 5) { x = v128.bitselect(x, f32x4.splat(1), number)
}
    else if (kind == 6) { x = f32x4.pmin(v128.andnot(x, sign), f32x4.splat(3.99))
}
    else if (kind == 0 || kind == 1) { x = f32x4.pmin(f32x4.pmax(x, f32x4.splat(-150)), f32x4.splat(150))
}
    else if (kind == 8) { open = f32x4.gt(f32x4.abs(x), f32x4.splat(150))
}
    else {
      // So small, a result is half of x and may be a tie; so large, beyond what the value takes.
      const most: f32 = kind == 2 ? 150 : kind == 3 ? 20 : 13
      open = v128.or(f32x4.gt(f32x4.abs(x), f32x4.splat(most)), f32x4.lt(f32x4.abs(x), f32x4.splat(1e-30)))
    }
    // Where the scalar functions decide, any number that the value takes.
    const y = value(kind, f64x2.promote_low_f32x4(x))
    const z = value(kind, upper(x))
    const low = rounded(y, z, below)
    const high = rounded(y, z, above)
    if (v128.any_true(v128.or(open, f32x4.ne(low, high)))) slowly(kind, given, to)
    else if (kind == 4 || kind == 6) v128.store(to, v128.or(low, v128.and(given, sign)))
    else if (kind == 5) v128.store(to, v128.bitselect(low, logLimits(given), number))
    else v128.store(to, low)
  }
}

export function expFloat32(from: usize, to: usize, count: i32): void {
  each(0, from, to, count)
}

export function sigmoidFloat32(from: usize, to: usize, count: i32): void {
  each(1, from, to, count)
}

export function siluFloat32(from: usize, to: usize, count: i32): void {
  each(2, from, to, count)
}

export function geluTanhFloat32(from: usize, to: usize, count: i32): void {
  each(3, from, to, count)
}

export function tanhFloat32(from: usize, to: usize, count: i32): void {
  each(4, from, to, count)
}

export function logFloat32(from: usize, to: usize, count: i32): void {
  each(5, from, to, count)
}

export function erfFloat32(from: usize, to: usize, count: i32): void {
  each(6, from, to, count)
}

export function geluFloat32(from: usize, to: usize, count: i32): void {
  each(7, from, to, count)
}

export function softplusFloat32(from: usize, to: usize, count: i32): void {
  each(8, from, to, count)
}
