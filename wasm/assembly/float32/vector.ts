// The most used unary functions of float32, four at a time: float32 at `from` -> float32 at `to`, which may be `from`; counts
// rounded up to a multiple of 4. A float64 value with an error below 2^-37 of itself is rounded where both ends of twice that
// interval round alike, NaN nowhere; else the four are left to the scalar functions, about once in 2^9 of them.
import { erf, gelu } from './errorFunction'
import { exp, geluTanh, sigmoid, silu, tanh } from './exponential'
import { log, softplus } from './logarithm'
import { errors, logarithms, numbers, powers, tails } from './numbers'

const below = 1.0 - 1.4551915228366852e-11
const above = 1.0 + 1.4551915228366852e-11
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

// exp(x) = 2^(n/64) exp(r), |r| <= ln(2) / 128, as in exponential.ts; the series ends sooner.

// @ts-ignore: decorator
@inline
function turns(x: v128, perUnit: f64): v128 {
  return f64x2.add(f64x2.mul(x, f64x2.splat(perUnit)), f64x2.splat(magic))
}

/** r = x - n ln(2) / 64. */
// @ts-ignore: decorator
@inline
function restOf(x: v128, turned: v128): v128 {
  const n = f64x2.sub(turned, f64x2.splat(magic))
  return f64x2.sub(x, f64x2.mul(n, f64x2.splat(0.010830424696249145)))
}

/** 2^(n/64): the lowest bits of what `magic` was added to are n, of which the upper ones go to the exponent. */
// @ts-ignore: decorator
@inline
function powerOf(turned: v128): v128 {
  const start = numbers + powers * 8
  const first = start + (<usize>(i32x4.extract_lane(turned, 0) & 63) << 4)
  const second = start + (<usize>(i32x4.extract_lane(turned, 2) & 63) << 4)
  return i64x2.add(v128.load64_lane(second, v128.load64_splat(first), 1), i64x2.shl(v128.andnot(turned, i64x2.splat(63)), 46))
}

/** exp(x) for |x| <= 700: off by 2^-37.2 of itself for the series, whose r^4 / 24 went into r^2, and by 2^-53 |x|. */
// @ts-ignore: decorator
@inline
function expOf(x: v128): v128 {
  const turned = turns(x, 92.33248261689366)
  const r = restOf(x, turned)
  const r2 = f64x2.mul(r, r)
  const p = f64x2.add(f64x2.splat(0.5000010122179893), f64x2.mul(r, f64x2.splat(0.16666666666666666)))
  const power = powerOf(turned)
  return f64x2.add(power, f64x2.mul(power, f64x2.add(r, f64x2.mul(r2, p))))
}

/** exp(x) - 1 for |x| <= 700, off by 2^-37 of itself: r^5 / 120 against the smallest r. */
// @ts-ignore: decorator
@inline
function expm1Of(x: v128): v128 {
  const turned = turns(x, 92.33248261689366)
  const r = restOf(x, turned)
  const r2 = f64x2.mul(r, r)
  const a = f64x2.add(f64x2.splat(0.5), f64x2.mul(r, f64x2.splat(0.16666666666666666)))
  const p = f64x2.add(a, f64x2.mul(r2, f64x2.splat(0.041666666666666664)))
  const power = powerOf(turned)
  const beyond = f64x2.mul(power, f64x2.add(r, f64x2.mul(r2, p)))
  return f64x2.add(f64x2.sub(power, f64x2.splat(1)), beyond)
}

/** 1 + exp(-x). */
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

// erf and erfc exp(x^2) by polynomials on parts a quarter as wide as those of errorFunction.ts, and so of 8 coefficients
// instead of 13: rows of 9 numbers, the centre first, made from the others when the module starts.

/** Fills rows from one of 14 numbers: its polynomial about another centre, up to the seventh power. */
function shifted(row: usize, centre: f64, to: usize): void {
  const by = centre - load<f64>(row)
  store<f64>(to, centre)
  // Horner's scheme once for each coefficient.
  for (let i: usize = 0; i < 13; i++) store<f64>(shift + i * 8, load<f64>(row + 8 + i * 8))
  for (let k: usize = 0; k < 8; k++) {
    for (let i: usize = 12; i > k; i--) {
      const at = shift + (i - 1) * 8
      store<f64>(at, load<f64>(at) + by * load<f64>(at, 8))
    }
    store<f64>(to + 8 + k * 8, load<f64>(shift + k * 8))
  }
}

const shift: usize = memory.data(13 * 8)
const erfRows: usize = memory.data(64 * 72)
const tailRows: usize = memory.data(100 * 72)

for (let i = 0; i < 64; i++) {
  const centre = i == 0 ? 0 : (f64(i) + 0.5) / 16
  shifted(numbers + (errors + 14 * (i >> 2)) * 8, centre, erfRows + i * 72)
}
for (let i = 0; i < 100; i++) {
  // Below 1/4 four rows of 1/16; then sixteen an octave.
  const width = i < 4 ? 0.0625 : f64(1 << ((i - 4) >> 4)) / 64
  const start = i < 4 ? 0 : 16 * width
  const centre = start + (f64(i < 4 ? i : (i - 4) & 15) + 0.5) * width
  shifted(numbers + (tails + 14 * (i >> 2)) * 8, centre, tailRows + i * 72)
}

/** The polynomials of two rows at two numbers. */
// @ts-ignore: decorator
@inline
function piecesOf(start: usize, rows: v128, x: v128): v128 {
  const a = start + <usize>(i32x4.extract_lane(rows, 0) * 72)
  const b = start + <usize>(i32x4.extract_lane(rows, 1) * 72)
  const t = f64x2.sub(x, v128.load64_lane(b, v128.load64_splat(a), 1))
  const t2 = f64x2.mul(t, t)
  const low = f64x2.add(v128.load64_lane(b, v128.load64_splat(a, 8), 1, 8), f64x2.mul(t, v128.load64_lane(b, v128.load64_splat(a, 16), 1, 16)))
  const next = f64x2.add(v128.load64_lane(b, v128.load64_splat(a, 24), 1, 24), f64x2.mul(t, v128.load64_lane(b, v128.load64_splat(a, 32), 1, 32)))
  const third = f64x2.add(v128.load64_lane(b, v128.load64_splat(a, 40), 1, 40), f64x2.mul(t, v128.load64_lane(b, v128.load64_splat(a, 48), 1, 48)))
  const high = f64x2.add(v128.load64_lane(b, v128.load64_splat(a, 56), 1, 56), f64x2.mul(t, v128.load64_lane(b, v128.load64_splat(a, 64), 1, 64)))
  const rest = f64x2.add(next, f64x2.mul(t2, f64x2.add(third, f64x2.mul(t2, high))))
  return f64x2.add(low, f64x2.mul(t2, rest))
}

/** erf(x) for 0 <= x < 4. */
// @ts-ignore: decorator
@inline
function erfOf(x: v128): v128 {
  return piecesOf(erfRows, i32x4.trunc_sat_f64x2_u_zero(f64x2.mul(x, f64x2.splat(16))), x)
}

/** erfc(x) exp(x^2) for 0 <= x < 16. */
// @ts-ignore: decorator
@inline
function scaledErfcOf(x: v128): v128 {
  // Exponent and four bits, counted from 1/4; below it sixteenths.
  const places = i32x4.sub(i32x4.shr_u(v128.shuffle<i32>(x, x, 1, 3, 1, 3), 16), i32x4.splat(0x3fcc))
  const sixteenths = i32x4.trunc_sat_f64x2_u_zero(f64x2.mul(x, f64x2.splat(16)))
  return piecesOf(tailRows, i32x4.max_s(places, i32x4.min_s(sixteenths, i32x4.splat(3))), x)
}

/** The value of two operands, of sizes within what a comment above allows. */
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
    // Below half of the least number: what a mask leaves out, and most of what a softmax adds up.
    if (kind == 0 && i32x4.all_true(f32x4.lt(given, f32x4.splat(-104)))) {
      v128.store(to, f32x4.splat(0))
      continue
    }
    let x = given
    let open = i32x4.splat(0)
    // Within bounds beyond which the result is the same; pmin and pmax of x first keep its NaN.
    if (kind == 4) { x = f32x4.pmin(v128.andnot(x, sign), f32x4.splat(20))
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

export function erfFloat32(from: usize, to: usize, count: i32): void {
  each(6, from, to, count)
}

export function geluFloat32(from: usize, to: usize, count: i32): void {
  each(7, from, to, count)
}

export function softplusFloat32(from: usize, to: usize, count: i32): void {
  each(8, from, to, count)
}

/** c and -log(c) of each row of `logarithms`, the second as one number. */
const logRows: usize = memory.data(65 * 16)
for (let j: usize = 0; j < 65; j++) {
  const row = numbers + (logarithms + 3 * i32(j)) * 8
  store<f64>(logRows + j * 16, load<f64>(row))
  store<f64>(logRows + j * 16, load<f64>(row, 8) + load<f64>(row, 16), 8)
}

// @ts-ignore: decorator
@inline
function logRow(row: i32): v128 {
  return v128.load(logRows + (<usize>row << 4))
}

/** k ln 2 - log(c) + log(1 + r), r = m c - 1 exact and |r| < 0.009; off by 2^-41 of itself for the series, whose -r^6 / 6 went into r^4 and r^2. */
// @ts-ignore: decorator
@inline
function logBy(m: v128, k: v128, first: v128, second: v128): v128 {
  const c = v128.shuffle<f64>(first, second, 0, 2)
  const r = f64x2.sub(f64x2.mul(m, c), f64x2.splat(1))
  const r2 = f64x2.mul(r, r)
  const a = f64x2.add(f64x2.splat(-0.4999999997935607), f64x2.mul(r, f64x2.splat(0.3333333333333333)))
  const b = f64x2.add(f64x2.splat(-0.25001311612625915), f64x2.mul(r, f64x2.splat(0.2)))
  const p = f64x2.add(a, f64x2.mul(r2, b))
  const whole = f64x2.add(f64x2.mul(k, f64x2.splat(0.6931471805599453)), v128.shuffle<f64>(first, second, 1, 3))
  return f64x2.add(whole, f64x2.add(r, f64x2.mul(r2, p)))
}

/** As logValue in logarithm.ts: the exponent, the row of m and m itself from the bits of a normal operand. */
export function logFloat32(from: usize, to: usize, count: i32): void {
  for (const end = to + ((count + 3) & ~3) * 4; to < end; from += 16, to += 16) {
    const given = v128.load(from)
    const normal = f32x4.ge(given, f32x4.splat(1.1754943508222875e-38))
    const number = v128.and(normal, f32x4.lt(given, f32x4.splat(Infinity)))
    const x = v128.bitselect(given, f32x4.splat(1), number)
    const fraction = v128.and(x, i32x4.splat(0x7fffff))
    const m = v128.or(fraction, i32x4.splat(0x3f800000))
    const rows = i32x4.shr_u(i32x4.add(fraction, i32x4.splat(1 << 16)), 17)
    // From row 27 on it is the logarithm of m / 2.
    const exponent = i32x4.sub(i32x4.shr_u(x, 23), i32x4.splat(127))
    const k = i32x4.sub(exponent, i32x4.gt_s(rows, i32x4.splat(26)))
    const y = logBy(
      f64x2.promote_low_f32x4(m),
      f64x2.convert_low_i32x4_s(k),
      logRow(i32x4.extract_lane(rows, 0)),
      logRow(i32x4.extract_lane(rows, 1)),
    )
    const upperK = f64x2.convert_low_i32x4_s(v128.shuffle<i32>(k, k, 2, 3, 2, 3))
    const z = logBy(upper(m), upperK, logRow(i32x4.extract_lane(rows, 2)), logRow(i32x4.extract_lane(rows, 3)))
    const low = rounded(y, z, below)
    const subnormal = v128.andnot(f32x4.gt(given, f32x4.splat(0)), normal)
    const open = v128.or(subnormal, f32x4.ne(low, rounded(y, z, above)))
    if (v128.any_true(open)) slowly(5, given, to)
    else v128.store(to, v128.bitselect(low, logLimits(given), number))
  }
}
