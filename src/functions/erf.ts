const twoOverRootPi = 1.1283791670955126 // 2 / sqrt(pi)
const rootPi = 1.7724538509055159 // sqrt(pi)
const splitter = 2 ** 27 + 1

/** exp(-x^2 / divisor) with x^2 kept to twice the precision; divisor a power of two. */
export function expMinusSquare(x: number, divisor: number): number {
  // Past the float64 range of the result the split would overflow first.
  if (Math.abs(x) > 100) return 0
  // Dekker's product: square + rest is x * x exactly.
  const upper = splitter * x - (splitter * x - x)
  const lower = x - upper
  const square = x * x
  const rest = upper * upper - square + 2 * upper * lower + lower * lower
  return Math.exp(-square / divisor) * (1 - rest / divisor)
}

/** erfc(x) exp(x^2) for x >= 1, by the continued fraction of DLMF 7.9.2 evaluated from its tail. */
export function scaledErfc(x: number): number {
  // As many as bring the tail below 2^-52: 183 at 1, 53 at 2, 15 at 5.
  const terms = 10 + Math.ceil(190 / (x * x))
  let tail = x
  for (let n = terms; n >= 1; n--) tail = x + n / 2 / tail
  return 1 / (rootPi * tail)
}

/**
 * The error function in float64.
 *
 * Error     relative, below 2^-50.
 * Source    DLMF 7.6.2 below 1 (all terms positive), 1 - erfc above.
 *
 * @example erf(0.5) // 0.5204998778130465
 */
export function erf(x: number): number {
  const magnitude = Math.abs(x)
  if (magnitude >= 1) return x > 0 ? 1 - erfc(x) : erfc(-x) - 1
  const square = x * x
  let sum = 0
  // From the smallest term: 2 x^2 / 3 (1 + 2 x^2 / 5 (1 + ...)).
  for (let n = 20; n >= 1; n--) sum = ((1 + sum) * 2 * square) / (2 * n + 1)
  return twoOverRootPi * x * expMinusSquare(x, 1) * (1 + sum)
}

/**
 * 1 - erf(x) in float64, accurate in the far tail too.
 *
 * Error     relative, below 2^-49, down to where the result is subnormal.
 * Source    DLMF 7.9.2 from 1 up.
 *
 * @example erfc(10) < 2.1e-45 // true
 */
export function erfc(x: number): number {
  if (Number.isNaN(x)) return x
  if (x < 1) return x <= -1 ? 2 - erfc(-x) : 1 - erf(x)
  return expMinusSquare(x, 1) * scaledErfc(x)
}
