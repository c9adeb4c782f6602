import { exponentOf, powerOfTwo, toInt } from './bits.js'
import { decided, nearest, signed } from './decide.js'
import { at, cosEnd, cosHard, type int, sinEnd, sinHard, tanEnd, tanHard, turns } from './numbers.js'

const quartersPerUnit = 0.6366197723675814
/** pi / 2 in three parts, the first two of 32 bits. */
const firstPart = 1.5707963267341256
const secondPart = 6.077100506303966e-11
const thirdPart = 2.0222662487959506e-21

/** Below, a quarter times the first part is exact. */
const small = 1048576.0

// From there on x 2 / pi is summed from pieces of 24 bits, those left out that are whole turns: Payne and Hanek, Radian
// reduction for trigonometric functions, ACM SIGNUM Newsletter 18 (1983), doi:10.1145/1057600.1057602

/** Whole multiples of 4 taken off. */
function lessTurns(x: number): number {
  return x - 4 * Math.floor(0.25 * x)
}

/** The power of two that x is a whole multiple of, a float32 in its binade. */
function placesOf(x: number): int {
  return exponentOf(x) - 23
}

/** The first piece that counts for x of so many places. */
function firstPiece(places: int): int {
  return places < 26 ? 0 : ((places - 2) / 24) | 0
}

/** x times the piece that is `after` places behind the first, exactly. */
function product(x: number, after: int): number {
  const places = placesOf(x)
  const first = firstPiece(places) + after
  return x * powerOfTwo(-places) * at(turns + first) * powerOfTwo(places - 24 * (first + 1))
}

/** The nearest number of quarter turns to x >= 2^20, less whole turns. */
function largeQuarters(x: number): number {
  return nearest(lessTurns(product(x, 0)) + lessTurns(product(x, 1)) + product(x, 2))
}

/** x >= 2^20 less those quarter turns. */
function largeRest(x: number, quarters: number): number {
  const upper = lessTurns(product(x, 0)) + lessTurns(product(x, 1)) - quarters
  return 0.5 * Math.PI * (upper + product(x, 2) + (product(x, 3) + product(x, 4)))
}

function quartersOf(size: number): number {
  return size < small ? nearest(size * quartersPerUnit) : largeQuarters(size)
}

function restOf(size: number, quarters: number): number {
  if (size >= small) return largeRest(size, quarters)
  return size - quarters * firstPart - quarters * secondPart - quarters * thirdPart
}

/** sin(r) for |r| <= pi / 4, relative error below 2^-52. */
function sine(r: number): number {
  const z = r * r
  const low = 2.7557319223985893e-6 + z * (-2.505210838544172e-8 + z * 1.6059043836821613e-10)
  const tail = z * (z * z) * (-7.647163731819816e-13 + z * 2.8114572543455206e-15)
  const rest = 0.008333333333333333 + z * (-0.0001984126984126984 + z * (low + tail))
  return r + r * z * (-0.16666666666666666 + z * rest)
}

/** cos(r) for |r| <= pi / 4. */
function cosine(r: number): number {
  const z = r * r
  const low = 2.08767569878681e-9 + z * (-1.1470745597729725e-11 + z * 4.779477332387385e-14)
  const middle = 2.48015873015873e-5 + z * (-2.755731922398589e-7 + z * low)
  return 1 + z * (-0.5 + z * (0.041666666666666664 + z * (-0.001388888888888889 + z * middle)))
}

/** The sine of so many quarter turns and a rest. */
function turned(quarters: number, r: number): number {
  const place = toInt(lessTurns(quarters))
  const y = (place & 1) === 0 ? sine(r) : cosine(r)
  return place < 2 ? y : -y
}

/** sin(pi r) for |r| <= 1/2, error relative. */
export function sinPi(r: number): number {
  const quarters = nearest(2 * r)
  return turned(quarters, 0.5 * Math.PI * (2 * r - quarters))
}

export function sin(x: number): number {
  const size = Math.abs(x)
  if (!(size < Infinity)) return NaN
  const quarters = quartersOf(size)
  return signed(decided(turned(quarters, restOf(size, quarters)), size, sinHard, sinEnd), x)
}

export function cos(x: number): number {
  const size = Math.abs(x)
  if (!(size < Infinity)) return NaN
  const quarters = quartersOf(size)
  return decided(turned(quarters + 1, restOf(size, quarters)), size, cosHard, cosEnd)
}

export function tan(x: number): number {
  const size = Math.abs(x)
  if (!(size < Infinity)) return NaN
  const quarters = quartersOf(size)
  const r = restOf(size, quarters)
  const y = (toInt(lessTurns(quarters)) & 1) === 0 ? sine(r) / cosine(r) : -cosine(r) / sine(r)
  return signed(decided(y, size, tanHard, tanEnd), x)
}
