// The most used unary functions of float32, four at a time: float32 at `from` -> float32 at `to`, which may be `from`; counts
// rounded up to a multiple of 4. A float64 value with an error below 2^-36 of itself is rounded where no midpoint of float32
// numbers is so near; else the four are left to the scalar functions, about once in 2^9 of them.
import { erf, gelu, geluValue } from './errorFunction'
import { exp, expValue, geluTanh, sigmoid, silu, tanh } from './exponential'
import { log, softplus } from './logarithm'
import { errors, logarithms, numbers, powers, tails } from './numbers'

const magic = 6755399441055744.0

// Constants in memory: one load each, where a constant that the compiler knows is made anew at every turn, by three instructions.
const half: usize = memory.data<f64>([0.5])
const one: usize = memory.data<f64>([1])
const two: usize = memory.data<f64>([2])
const quarter: usize = memory.data<f64>([0.25])
const whole: usize = memory.data<f64>([magic])
const signs: usize = memory.data<u32>([0x80000000])

// @ts-ignore: decorator
@inline
function kept(address: usize): v128 {
  return v128.load64_splat(address)
}

// @ts-ignore: decorator
@inline
function word(address: usize): v128 {
  return v128.load32_splat(address)
}

// @ts-ignore: decorator
@inline
function upper(x: v128): v128 {
  return f64x2.promote_low_f32x4(v128.shuffle<f32>(x, x, 2, 3, 2, 3))
}

// @ts-ignore: decorator
@inline
function rounded(y: v128, z: v128): v128 {
  return v128.shuffle<f32>(f32x4.demote_f64x2_zero(y), f32x4.demote_f64x2_zero(z), 0, 1, 4, 5)
}

const halfAndBack: usize = memory.data<u32>([0xf0020000])
const lowBits: usize = memory.data<u32>([0x1fffffff])
const twice: usize = memory.data<u32>([0x40000])

/** Which of four values have a midpoint of normal float32 numbers within 2^17 units in the last of their 53 places: 2^-36 to 2^-35 of the value. */
// @ts-ignore: decorator
@inline
function nearMidpoint(y: v128, z: v128): v128 {
  const low = i32x4.add(v128.shuffle<i32>(y, z, 0, 2, 4, 6), word(halfAndBack))
  return i32x4.gt_s(word(twice), v128.and(low, word(lowBits)))
}

const fromNormal: usize = memory.data<u32>([0x7f800000])
const toInfinite: usize = memory.data<u32>([0xff000000])
const toFinite: usize = memory.data<u32>([0xfeffffff])

/** Which of four numbers are below 0, zero, subnormal, NaN or beyond the last. */
// @ts-ignore: decorator
@inline
function unusual(x: v128, last: usize): v128 {
  return i32x4.gt_s(i32x4.add(x, word(fromNormal)), word(last))
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

// exp(x) = 2^(n/64) 2^(f/64) for turns n + f of x, |f| <= 1/2: a table and a series, as in exponential.ts but shorter.

/** 2^(j/64), less what adding j to its exponent and upper bits adds: to this, n << 46 gives 2^(n/64). */
const powerRows: usize = memory.data(64 * 8)
for (let j: usize = 0; j < 64; j++) store<u64>(powerRows + j * 8, load<u64>(numbers + powers * 8 + j * 16) - (u64(j) << 46))

/** 64 / ln 2, which makes turns of x, and the like of what else goes into an exponential. */
const perUnit: usize = memory.data<f64>([92.33248261689366])
const perMinus: usize = memory.data<f64>([-92.33248261689366])
const perMinusTwo: usize = memory.data<f64>([-46.16624130844683])
const perHalf: usize = memory.data<f64>([184.6649652337873])

// @ts-ignore: decorator
@inline
function powerOf(turned: v128): v128 {
  const first = powerRows + (<usize>(i32x4.extract_lane(turned, 0) & 63) << 3)
  const second = powerRows + (<usize>(i32x4.extract_lane(turned, 2) & 63) << 3)
  return i64x2.add(v128.load64_lane(second, v128.load64_splat(first), 1), i64x2.shl(turned, 46))
}

const first: usize = memory.data<f64>([0.010830424696249145])
const expSecond: usize = memory.data<f64>([5.864916828180772e-5])
const third: usize = memory.data<f64>([2.1173137155464776e-7])

/** exp(x) of the turns of |x| <= 700: off by 2^-37.2 of itself for the series, whose fourth power went into the second, and by 2^-52 |x|. */
// @ts-ignore: decorator
@inline
function expOf(turns: v128): v128 {
  const turned = f64x2.add(turns, kept(whole))
  const f = f64x2.sub(turns, f64x2.sub(turned, kept(whole)))
  const p = f64x2.add(kept(first), f64x2.mul(f, f64x2.add(kept(expSecond), f64x2.mul(f, kept(third)))))
  const power = powerOf(turned)
  return f64x2.add(power, f64x2.mul(power, f64x2.mul(f, p)))
}

const second: usize = memory.data<f64>([5.86490495505617e-5])
const fourth: usize = memory.data<f64>([5.732851688640402e-10])

/** exp(x) - 1 of the turns of |x| <= 700, off by 2^-37 of itself: the fifth power against the smallest f. */
// @ts-ignore: decorator
@inline
function expm1Of(turns: v128): v128 {
  const turned = f64x2.add(turns, kept(whole))
  const f = f64x2.sub(turns, f64x2.sub(turned, kept(whole)))
  const low = f64x2.add(kept(first), f64x2.mul(f, kept(second)))
  const high = f64x2.add(kept(third), f64x2.mul(f, kept(fourth)))
  const p = f64x2.add(low, f64x2.mul(f64x2.mul(f, f), high))
  const power = powerOf(turned)
  return f64x2.add(f64x2.sub(power, kept(one)), f64x2.mul(power, f64x2.mul(f, p)))
}

const atanh1: usize = memory.data<f64>([0.6666666666666208])
const atanh2: usize = memory.data<f64>([0.40000000011206505])
const atanh3: usize = memory.data<f64>([0.2857142413832416])
const atanh4: usize = memory.data<f64>([0.22222862280108716])
const atanh5: usize = memory.data<f64>([0.18140193802865992])
const atanh6: usize = memory.data<f64>([0.16621817152858928])
const ln2: usize = memory.data<f64>([0.6931471805599453])

/** log(x) of a normal positive x: m about 1, s = (m - 1) / (m + 1), log m = 2 atanh s. */
// @ts-ignore: decorator
@inline
function logOf(x: v128): v128 {
  const rootHalf = i64x2.splat(0x3fe6a09e667f3bcd)
  const k = i64x2.shr_s(i64x2.sub(x, rootHalf), 52)
  const m = i64x2.sub(x, i64x2.shl(k, 52))
  const n = f64x2.sub(i64x2.add(k, kept(whole)), kept(whole))
  const s = f64x2.div(f64x2.sub(m, kept(one)), f64x2.add(m, kept(one)))
  const z = f64x2.mul(s, s)
  const z2 = f64x2.mul(z, z)
  const a = f64x2.add(kept(atanh1), f64x2.mul(z, kept(atanh2)))
  const b = f64x2.add(kept(atanh3), f64x2.mul(z, kept(atanh4)))
  const c = f64x2.add(kept(atanh5), f64x2.mul(z, kept(atanh6)))
  const h = f64x2.add(a, f64x2.mul(z2, f64x2.add(b, f64x2.mul(z2, c))))
  const small = f64x2.add(f64x2.add(s, s), f64x2.mul(f64x2.mul(s, z), h))
  return f64x2.add(f64x2.mul(n, kept(ln2)), small)
}

// erf and gelu by polynomials of 6 coefficients on narrow parts, about centres that are 1/32 and 1/64 apart: rows made when the
// module starts, of the table of erf in errorFunction.ts and of the derivatives of gelu. The first two coefficients of all rows
// stand together, then the next two, then the last: a row is 16 bytes from its neighbours in each. What they leave out is less than
// 2^-37.4 of erf and 2^-38.7 of gelu: scripts/float32Tables.py --check.

const shift: usize = memory.data(13 * 8)
const terms: usize = memory.data(8 * 8)

/** Fills a row from one of 14 numbers: so many coefficients of its polynomial about another centre. */
function shifted(row: usize, centre: f64, count: usize, to: usize): void {
  const by = centre - load<f64>(row)
  // Horner's scheme once for each coefficient.
  for (let i: usize = 0; i < 13; i++) store<f64>(shift + i * 8, load<f64>(row + 8 + i * 8))
  for (let k: usize = 0; k < count; k++) {
    for (let i: usize = 12; i > k; i--) {
      const at = shift + (i - 1) * 8
      store<f64>(at, load<f64>(at) + by * load<f64>(at, 8))
    }
    store<f64>(to + k * 8, load<f64>(shift + k * 8))
  }
}

/** Puts a row of `terms` in its place. */
function putRow(to: usize, apart: usize): void {
  for (let k: usize = 0; k < 6; k++) store<f64>(to + (k >> 1) * apart + (k & 1) * 8, load<f64>(terms + k * 8))
}

const erfRows: usize = memory.data(3 * 128 * 16)
const geluRows: usize = memory.data(3 * 1024 * 16)

// Every 1/32 from 0 to 4.
for (let i = 0; i < 128; i++) {
  shifted(numbers + (errors + 14 * (i >> 3)) * 8, f64(i) / 32, 6, terms)
  putRow(erfRows + i * 16, 128 * 16)
}

// Every 1/64 from -8 to 8, those below 0 after the others: x P(x), P' = p, p' = -x p, by powers of x - centre.
for (let i = 0; i < 1024; i++) {
  const centre = f64(i < 512 ? i : i - 1024) / 64
  let before = i ? geluValue(centre) / centre : 0.5
  let older = 0.0
  let newer = expValue(-0.5 * (centre * centre)) * 0.3989422804014327
  store<f64>(terms, centre * before)
  for (let n = 1; n < 8; n++) {
    const term = newer / f64(n)
    store<f64>(terms + n * 8, centre * term + before)
    before = term
    const next = -(centre * newer + older) / f64(n)
    older = newer
    newer = next
  }
  // The sixth and seventh powers by lower ones, after Chebyshev; about 0 the value keeps its zero.
  if (i) {
    const sixth = load<f64>(terms + 48)
    const seventh = load<f64>(terms + 56)
    const square = 1.0 / 16384
    plus(0, sixth * square * square * square / 32)
    plus(1, seventh * square * square * square * 7 / 64)
    plus(2, -sixth * square * square * 9 / 16)
    plus(3, -seventh * square * square * 7 / 8)
    plus(4, sixth * square * 3 / 2)
    plus(5, seventh * square * 7 / 4)
  }
  putRow(geluRows + i * 16, 1024 * 16)
}

function plus(k: usize, x: f64): void {
  store<f64>(terms + k * 8, load<f64>(terms + k * 8) + x)
}

/** The polynomials of two rows, so many bytes from the first, at two numbers. */
// @ts-ignore: decorator
@inline
function rowsOf(rows: usize, apart: usize, pair: i64, t: v128): v128 {
  const a = rows + <usize>pair
  const b = rows + <usize>(pair >>> 32)
  const t2 = f64x2.mul(t, t)
  const ta = v128.shuffle<f64>(t2, t2, 0, 0)
  const tb = v128.shuffle<f64>(t2, t2, 1, 1)
  const p = f64x2.add(v128.load(a), f64x2.mul(ta, f64x2.add(v128.load(a + apart), f64x2.mul(ta, v128.load(a + 2 * apart)))))
  const q = f64x2.add(v128.load(b), f64x2.mul(tb, f64x2.add(v128.load(b + apart), f64x2.mul(tb, v128.load(b + 2 * apart)))))
  return f64x2.add(v128.shuffle<f64>(p, q, 0, 2), f64x2.mul(t, v128.shuffle<f64>(p, q, 1, 3)))
}

/** Numbers that make float32 to whole 1/32 and 1/64. */
const to32: usize = memory.data<f32>([393216])
const to64: usize = memory.data<f32>([196608])
const places32: usize = memory.data<u32>([127 << 4])
const places64: usize = memory.data<u32>([1023 << 4])

/** Where the rows of four numbers are, from `turned` on: what is beyond the last, NaN too, has one of them. */
// @ts-ignore: decorator
@inline
function placesOf(kind: i32, turned: v128): v128 {
  return v128.and(i32x4.shl(turned, 4), word(kind == 6 ? places32 : places64))
}

// @ts-ignore: decorator
@inline
function tabled(kind: i32, pair: i64, t: v128): v128 {
  return kind == 6 ? rowsOf(erfRows, 2048, pair, t) : rowsOf(geluRows, 16384, pair, t)
}

// gelu beyond 8 and near midpoints by an exponential and erfc(x) exp(x^2), whose rows of 8 coefficients are made from those of errorFunction.ts.

const tailRows: usize = memory.data(96 * 64)

// Of x + 1/4 sixteen an octave, from 1/4 on; those of errorFunction.ts are four an octave of x, after one up to 1/4.
for (let i = 0; i < 96; i++) {
  const centre = (f64(i & 15) + 16.5) / 64 * f64(1 << (i >> 4)) - 0.25
  let part = 0
  for (let width = 0.0625, end = 0.25; end <= centre; part++) {
    end += width
    if ((part & 3) == 3) width += width
  }
  shifted(numbers + (tails + 14 * part) * 8, centre, 8, tailRows + i * 64)
}

/** The polynomials of two rows of 8 at two numbers. */
// @ts-ignore: decorator
@inline
function piecesOf(a: usize, b: usize, t: v128): v128 {
  const a0 = v128.load(a)
  const b0 = v128.load(b)
  const a2 = v128.load(a, 16)
  const b2 = v128.load(b, 16)
  const a4 = v128.load(a, 32)
  const b4 = v128.load(b, 32)
  const a6 = v128.load(a, 48)
  const b6 = v128.load(b, 48)
  const t2 = f64x2.mul(t, t)
  const low = f64x2.add(v128.shuffle<f64>(a0, b0, 0, 2), f64x2.mul(t, v128.shuffle<f64>(a0, b0, 1, 3)))
  const next = f64x2.add(v128.shuffle<f64>(a2, b2, 0, 2), f64x2.mul(t, v128.shuffle<f64>(a2, b2, 1, 3)))
  const late = f64x2.add(v128.shuffle<f64>(a4, b4, 0, 2), f64x2.mul(t, v128.shuffle<f64>(a4, b4, 1, 3)))
  const high = f64x2.add(v128.shuffle<f64>(a6, b6, 0, 2), f64x2.mul(t, v128.shuffle<f64>(a6, b6, 1, 3)))
  const rest = f64x2.add(next, f64x2.mul(t2, f64x2.add(late, f64x2.mul(t2, high))))
  return f64x2.add(low, f64x2.mul(t2, rest))
}

/** The bits of the last place that is tabulated: what is beyond, NaN too, stays within memory. */
const lastPlace: usize = memory.data<u64>([0x402fffff7fffffff])
const places: usize = memory.data<u64>([0xffff000000000000])
const middle: usize = memory.data<u64>([0x0000800000000000])

/** erfc(x) exp(x^2) for 0 <= x < 15. */
// @ts-ignore: decorator
@inline
function scaledErfcOf(x: v128): v128 {
  // Exponent and four bits say the row, which goes to twice the next bit.
  const w = f64x2.add(x, kept(quarter))
  const row = v128.and(i32x4.min_s(w, kept(lastPlace)), kept(places))
  const a = <usize>(i32x4.extract_lane(row, 1) >>> 10) + (tailRows - (0x3fd0 << 6))
  const b = <usize>(i32x4.extract_lane(row, 3) >>> 10) + (tailRows - (0x3fd0 << 6))
  return piecesOf(a, b, f64x2.sub(w, v128.or(row, kept(middle))))
}

const rootHalf: usize = memory.data<f64>([0.7071067811865476])

/** gelu of |x| < 13: x less the tail, or the tail. */
// @ts-ignore: decorator
@inline
function geluOf(x: v128): v128 {
  const size = f64x2.abs(x)
  const power = expOf(f64x2.mul(f64x2.mul(x, x), kept(perMinusTwo)))
  const tail = f64x2.mul(f64x2.mul(size, kept(half)), f64x2.mul(power, scaledErfcOf(f64x2.mul(size, kept(rootHalf)))))
  return f64x2.sub(f64x2.max(x, f64x2.splat(0)), tail)
}

const cubed: usize = memory.data<f64>([0.044715])
/** -2 sqrt(2 / pi) times `perUnit`. */
const perGelu: usize = memory.data<f64>([-147.34132468123678])

/** The value of two operands, of sizes within what a comment above allows. */
// @ts-ignore: decorator
@inline
function value(kind: i32, x: v128): v128 {
  if (kind == 0) return expOf(f64x2.mul(x, kept(perUnit)))
  if (kind == 1) return f64x2.div(kept(one), onePlusExpOf(f64x2.mul(x, kept(perMinus))))
  if (kind == 2) return f64x2.div(x, onePlusExpOf(f64x2.mul(x, kept(perMinus))))
  if (kind == 3) {
    const cube = f64x2.mul(f64x2.mul(x, x), x)
    const u = f64x2.add(x, f64x2.mul(cube, kept(cubed)))
    return f64x2.div(x, onePlusExpOf(f64x2.mul(u, kept(perGelu))))
  }
  if (kind == 4) {
    const e = expm1Of(f64x2.mul(x, kept(perHalf)))
    return f64x2.div(e, f64x2.add(e, kept(two)))
  }
  return softplusOf(x)
}

// @ts-ignore: decorator
@inline
function onePlusExpOf(turns: v128): v128 {
  return f64x2.add(kept(one), expOf(turns))
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
  const t = expOf(f64x2.mul(f64x2.abs(x), kept(perMinus)))
  const u = f64x2.add(t, kept(one))
  const lost = f64x2.sub(t, f64x2.sub(u, kept(one)))
  return f64x2.add(f64x2.max(x, f64x2.splat(0)), f64x2.add(logOf(u), f64x2.div(lost, u)))
}

const most: usize = memory.data<f32>([150])
const least: usize = memory.data<f32>([-150])
const vanishing: usize = memory.data<f32>([-104])
const mostTanh: usize = memory.data<f32>([20])
const mostErf: usize = memory.data<f32>([3.98])

// As bits, the sizes of operands that have a value: from 2^-100, below which a result may be a tie of subnormal numbers, to where
// one is subnormal. To them is added what takes the smallest to -2^31; NaN is beyond the largest.
const fromSmallest: usize = memory.data<u32>([0x80000000 - 0x0d800000])
const toSilu: usize = memory.data<u32>([0x80000000 - 0x0d800000 + 0x43160000])
const toGeluTanh: usize = memory.data<u32>([0x80000000 - 0x0d800000 + 0x41a00000])
/** 7.984375, the centre of the last part. */
const toGelu: usize = memory.data<u32>([0x80000000 - 0x0d800000 + 0x40ff8000])
/** 13. */
const toTail: usize = memory.data<u32>([0x80000000 - 0x0d800000 + 0x41500000])
const toSoftplus: usize = memory.data<u32>([0x42aa0000])
const minusTwo: usize = memory.data<f32>([-2])

/** Which operands have a value that may round wrongly, or none. */
// @ts-ignore: decorator
@inline
function beyond(kind: i32, x: v128): v128 {
  // Below 0 results are subnormal sooner: twice the size counts.
  const larger = f32x4.pmax(x, f32x4.mul(x, word(minusTwo)))
  if (kind == 2) return i32x4.gt_s(i32x4.add(larger, word(fromSmallest)), word(toSilu))
  if (kind == 3) return i32x4.gt_s(i32x4.add(larger, word(fromSmallest)), word(toGeluTanh))
  const size = v128.andnot(x, word(signs))
  if (kind == 7) return i32x4.gt_s(i32x4.add(size, word(fromSmallest)), word(toGelu))
  return i32x4.gt_s(size, word(toSoftplus))
}

// @ts-ignore: decorator
@inline
function bounded(kind: i32): bool {
  return kind == 0 || kind == 1 || kind == 4 || kind == 6
}

/** Within bounds beyond which the result is the same; pmin and pmax of x first keep its NaN. */
// @ts-ignore: decorator
@inline
function within(kind: i32, x: v128): v128 {
  if (kind == 4) return f32x4.pmin(v128.andnot(x, word(signs)), word(mostTanh))
  if (kind == 6) return f32x4.pmin(v128.andnot(x, word(signs)), word(mostErf))
  if (kind == 0 || kind == 1) return f32x4.pmin(f32x4.pmax(x, word(least)), word(most))
  return x
}

// @ts-ignore: decorator
@inline
function openOf(kind: i32, given: v128, low: v128): v128 {
  return bounded(kind) ? unusual(low, toInfinite) : beyond(kind, given)
}

/** The sign of an odd function's operand to its result. */
// @ts-ignore: decorator
@inline
function signed(kind: i32, low: v128, given: v128): v128 {
  return kind == 4 || kind == 6 ? v128.or(low, v128.and(given, word(signs))) : low
}

/** gelu of four, by the scalar function if one asks for it. */
function geluCarefully(from: usize, to: usize): void {
  const x = v128.load(from)
  // Zeros and what is large.
  const itself = v128.or(f32x4.eq(x, f32x4.splat(0)), f32x4.ge(x, f32x4.splat(7)))
  if (i32x4.all_true(itself)) {
    v128.store(to, x)
    return
  }
  const y = geluOf(f64x2.promote_low_f32x4(x))
  const z = geluOf(upper(x))
  const open = v128.or(nearMidpoint(y, z), i32x4.gt_s(i32x4.add(v128.andnot(x, word(signs)), word(fromSmallest)), word(toTail)))
  if (v128.any_true(v128.andnot(open, itself))) slowly(7, x, to)
  else v128.store(to, v128.bitselect(x, rounded(y, z), itself))
}

/** erf of four, by the scalar function if one asks for it. */
function erfCarefully(from: usize, to: usize): void {
  const given = v128.load(from)
  const x = within(6, given)
  const turned = f32x4.add(x, word(to32))
  const t = f32x4.sub(x, f32x4.sub(turned, word(to32)))
  const places = placesOf(6, turned)
  const y = tabled(6, i64x2.extract_lane(places, 0), f64x2.promote_low_f32x4(t))
  const z = tabled(6, i64x2.extract_lane(places, 1), upper(t))
  const low = rounded(y, z)
  const open = v128.or(nearMidpoint(y, z), openOf(6, given, low))
  // A zero is right.
  if (v128.any_true(v128.andnot(open, f32x4.eq(low, f32x4.splat(0))))) slowly(6, given, to)
  else v128.store(to, signed(6, low, given))
}

// @ts-ignore: decorator
@inline
function tabledCarefully(kind: i32, from: usize, to: usize): void {
  if (kind == 6) erfCarefully(from, to)
  else geluCarefully(from, to)
}

/** As `each`. */
// @ts-ignore: decorator
@inline
function eachTabled(kind: i32, from: usize, to: usize, count: i32): void {
  const end = to + ((count + 3) & ~3) * 4
  for (; to + 16 < end; from += 32, to += 32) {
    const a = v128.load(from)
    const b = v128.load(from, 16)
    const x = within(kind, a)
    const w = within(kind, b)
    const nearest = word(kind == 6 ? to32 : to64)
    const turnedA = f32x4.add(x, nearest)
    const turnedB = f32x4.add(w, nearest)
    const t = f32x4.sub(x, f32x4.sub(turnedA, nearest))
    const u = f32x4.sub(w, f32x4.sub(turnedB, nearest))
    const placesA = placesOf(kind, turnedA)
    const placesB = placesOf(kind, turnedB)
    const y0 = tabled(kind, i64x2.extract_lane(placesA, 0), f64x2.promote_low_f32x4(t))
    const y1 = tabled(kind, i64x2.extract_lane(placesA, 1), upper(t))
    const y2 = tabled(kind, i64x2.extract_lane(placesB, 0), f64x2.promote_low_f32x4(u))
    const y3 = tabled(kind, i64x2.extract_lane(placesB, 1), upper(u))
    const low = rounded(y0, y1)
    const high = rounded(y2, y3)
    const near = v128.or(nearMidpoint(y0, y1), nearMidpoint(y2, y3))
    const open = v128.or(openOf(kind, a, low), openOf(kind, b, high))
    if (v128.any_true(v128.or(near, open))) {
      tabledCarefully(kind, from, to)
      tabledCarefully(kind, from + 16, to + 16)
    } else {
      v128.store(to, signed(kind, low, a))
      v128.store(to, signed(kind, high, b), 16)
    }
  }
  if (to < end) tabledCarefully(kind, from, to)
}

/** Four of them, by the scalar functions if one asks for it. */
function carefully(kind: i32, from: usize, to: usize): void {
  const given = v128.load(from)
  const x = within(kind, given)
  const y = value(kind, f64x2.promote_low_f32x4(x))
  const z = value(kind, upper(x))
  const low = rounded(y, z)
  let open = openOf(kind, given, low)
  // A zero is right.
  if (bounded(kind)) open = v128.andnot(open, f32x4.eq(low, f32x4.splat(0)))
  if (v128.any_true(v128.or(nearMidpoint(y, z), open))) slowly(kind, given, to)
  else v128.store(to, signed(kind, low, given))
}

/** Eight at a time, whose operations fill each other's waits. */
// @ts-ignore: decorator
@inline
function each(kind: i32, from: usize, to: usize, count: i32): void {
  const end = to + ((count + 3) & ~3) * 4
  for (; to + 16 < end; from += 32, to += 32) {
    const a = v128.load(from)
    const b = v128.load(from, 16)
    // Below half of the least number: what a mask leaves out, and most of what a softmax adds up.
    if (kind == 0 && i32x4.all_true(v128.and(f32x4.lt(a, word(vanishing)), f32x4.lt(b, word(vanishing))))) {
      v128.store(to, f32x4.splat(0))
      v128.store(to, f32x4.splat(0), 16)
      continue
    }
    const x = within(kind, a)
    const w = within(kind, b)
    // Where the scalar functions decide, any number that the value takes.
    const y0 = value(kind, f64x2.promote_low_f32x4(x))
    const y1 = value(kind, upper(x))
    const y2 = value(kind, f64x2.promote_low_f32x4(w))
    const y3 = value(kind, upper(w))
    const low = rounded(y0, y1)
    const high = rounded(y2, y3)
    const near = v128.or(nearMidpoint(y0, y1), nearMidpoint(y2, y3))
    const open = v128.or(openOf(kind, a, low), openOf(kind, b, high))
    if (v128.any_true(v128.or(near, open))) {
      carefully(kind, from, to)
      carefully(kind, from + 16, to + 16)
    } else {
      v128.store(to, signed(kind, low, a))
      v128.store(to, signed(kind, high, b), 16)
    }
  }
  if (to < end) carefully(kind, from, to)
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
  eachTabled(6, from, to, count)
}

export function geluFloat32(from: usize, to: usize, count: i32): void {
  eachTabled(7, from, to, count)
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

const logFirst: usize = memory.data<f64>([0.3333333333333333])
const logSecond: usize = memory.data<f64>([-0.4999999997935607])
const logThird: usize = memory.data<f64>([-0.25001311612625915])
const logFourth: usize = memory.data<f64>([0.2])

/** k ln 2 - log(c) + log(1 + r), r = m c - 1 exact and |r| < 0.009; off by 2^-41 of itself for the series, whose -r^6 / 6 went into r^4 and r^2. */
// @ts-ignore: decorator
@inline
function logBy(m: v128, k: v128, a: usize, b: usize): v128 {
  const rowA = v128.load(a)
  const rowB = v128.load(b)
  const r = f64x2.sub(f64x2.mul(m, v128.shuffle<f64>(rowA, rowB, 0, 2)), kept(one))
  const r2 = f64x2.mul(r, r)
  const low = f64x2.add(kept(logSecond), f64x2.mul(r, kept(logFirst)))
  const high = f64x2.add(kept(logThird), f64x2.mul(r, kept(logFourth)))
  const p = f64x2.add(low, f64x2.mul(r2, high))
  const start = f64x2.add(f64x2.mul(k, kept(ln2)), v128.shuffle<f64>(rowA, rowB, 1, 3))
  return f64x2.add(start, f64x2.add(r, f64x2.mul(r2, p)))
}

const fractions: usize = memory.data<u32>([0x7fffff])
const unit: usize = memory.data<u32>([0x3f800000])
const halfRow: usize = memory.data<u32>([1 << 16])
/** From row 27 on it is the logarithm of m / 2. */
const toUpper: usize = memory.data<u32>([(1 << 23) - (27 << 17) + (1 << 16)])
const bias: usize = memory.data<u32>([127])

/** As logValue in logarithm.ts: the exponent, the row of m and m itself from the bits of a normal operand. */
export function logFloat32(from: usize, to: usize, count: i32): void {
  for (const end = to + ((count + 3) & ~3) * 4; to < end; from += 16, to += 16) {
    const x = v128.load(from)
    const fraction = v128.and(x, word(fractions))
    const m = v128.or(fraction, word(unit))
    const rows = i32x4.shr_u(i32x4.add(fraction, word(halfRow)), 17)
    const k = i32x4.sub(i32x4.shr_s(i32x4.add(x, word(toUpper)), 23), word(bias))
    const near = i64x2.extract_lane(rows, 0)
    const far = i64x2.extract_lane(rows, 1)
    const y = logBy(
      f64x2.promote_low_f32x4(m),
      f64x2.convert_low_i32x4_s(k),
      logRows + (<usize>near << 4),
      logRows + (<usize>(near >>> 32) << 4),
    )
    const z = logBy(
      upper(m),
      f64x2.convert_low_i32x4_s(v128.shuffle<i32>(k, k, 2, 3, 2, 3)),
      logRows + (<usize>far << 4),
      logRows + (<usize>(far >>> 32) << 4),
    )
    const low = rounded(y, z)
    const open = nearMidpoint(y, z)
    // Operands that are not positive, normal and finite.
    const special = unusual(x, toFinite)
    if (!v128.any_true(v128.or(open, special))) v128.store(to, low)
    else withLimits(x, low, open, special, to)
  }
}

/** Logarithms some of which may be limits, or be left to the scalar function. */
function withLimits(x: v128, low: v128, open: v128, special: v128, to: usize): void {
  const subnormal = v128.and(f32x4.gt(x, f32x4.splat(0)), f32x4.lt(x, f32x4.splat(1.1754943508222875e-38)))
  if (v128.any_true(v128.or(v128.andnot(open, special), subnormal))) slowly(5, x, to)
  else v128.store(to, v128.bitselect(logLimits(x), low, special))
}
