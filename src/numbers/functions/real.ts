/** Fraction bits of the fixed-point reals in this file: value = integer / 2^fractionBits. */
export const fractionBits = 512
export const one: bigint = 1n << 512n

const places = 512n

/** The exact fixed-point form of a float64 that is a multiple of 2^-512. */
export function fixed(x: number): bigint {
  let shift = 0
  let scaled = x
  while (!Number.isInteger(scaled)) {
    scaled *= 2 ** 16
    shift += 16
  }
  return (BigInt(scaled) << places) >> BigInt(shift)
}

/** The upper 53 bits of a positive fixed-point number, the last one set. */
export function cutToOdd(magnitude: bigint): number {
  const extra = Math.max(0, magnitude.toString(2).length - 53)
  return Number((magnitude >> BigInt(extra)) | 1n) * 2 ** (extra - fractionBits)
}

export function multiply(a: bigint, b: bigint): bigint {
  return (a * b) >> places
}

export function divide(a: bigint, b: bigint): bigint {
  return (a << places) / b
}

/** Floor of the square root of an integer. */
export function integerSqrt(n: bigint): bigint {
  if (n < 2n) return n
  let root = 1n << BigInt((n.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (root + n / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

/** Floor of the cube root of a positive integer. */
export function integerCbrt(n: bigint): bigint {
  let root = 1n << BigInt(Math.ceil(n.toString(2).length / 3))
  for (;;) {
    const next = (2n * root + n / (root * root)) / 3n
    if (next >= root) return root
    root = next
  }
}

export function squareRoot(a: bigint): bigint {
  return integerSqrt(a << places)
}

/** The sum of t, t q / 3, t q^2 / 5 ... with a sign before every q. */
function oddSeries(t: bigint, q: bigint): bigint {
  let sum = 0n
  let power = t
  for (let n = 1n; power !== 0n && power !== -1n; n += 2n) {
    sum += power / n
    power = multiply(power, q)
  }
  return sum
}

function roundedQuotient(a: bigint, b: bigint): bigint {
  return (2n * a + b) / (2n * b) - (2n * a + b < 0n ? 1n : 0n)
}

/** Logarithm of a positive number: 2 atanh((m - 1) / (m + 1)) and a multiple of ln 2, m near 1. */
export function log(a: bigint): bigint {
  const exponent = BigInt(a.toString(2).length) - places
  const m = exponent >= 0n ? a >> exponent : a << -exponent
  const t = divide(m - one, m + one)
  return 2n * oddSeries(t, multiply(t, t)) + exponent * ln2()
}

export function exp(a: bigint): bigint {
  const exponent = roundedQuotient(a, ln2())
  // Eight halvings shorten the series; squaring undoes them at the cost of eight bits.
  const reduced = (a - exponent * ln2()) >> 8n
  let sum = one
  let term = one
  for (let n = 1n; term !== 0n && term !== -1n; n++) {
    term = multiply(term, reduced) / n
    sum += term
  }
  for (let i = 0; i < 8; i++) sum = multiply(sum, sum)
  return exponent >= 0n ? sum << exponent : sum >> -exponent
}

export function atan(a: bigint): bigint {
  if (a < 0n) return -atan(-a)
  if (a > one) return pi() / 2n - atan(divide(one, a))
  let t = a
  for (let i = 0; i < 3; i++) t = divide(t, one + squareRoot(one + multiply(t, t)))
  return 8n * oddSeries(t, -multiply(t, t))
}

/** Sine and cosine; pi is taken with 160 bits more, so that an argument of 2^128 leaves the precision whole. */
export function sineCosine(a: bigint): readonly [bigint, bigint] {
  const quarter = widePi() / 2n
  const turns = roundedQuotient(a << 160n, quarter)
  const r = ((a << 160n) - turns * quarter) >> 160n
  const square = multiply(r, r)
  let [sine, cosine, term] = [0n, 0n, one]
  for (let n = 1n; term !== 0n && term !== -1n; n += 2n) {
    cosine += term
    const next = multiply(term, r) / n
    sine += next
    term = -multiply(term, square) / (n * (n + 1n))
  }
  const place = Number(((turns % 4n) + 4n) % 4n)
  if (place === 0) return [sine, cosine]
  if (place === 1) return [cosine, -sine]
  return place === 2 ? [-sine, -cosine] : [-cosine, sine]
}

/** Error function by DLMF 7.6.2 of x given as x and x^2. */
export function erf(x: bigint, square: bigint): bigint {
  // Past x = 20 the distance to 1 is below 2^-577.
  if (square > 400n * one) return x > 0n ? one : -one
  let sum = x
  let term = x
  for (let n = 3n; term !== 0n && term !== -1n; n += 2n) {
    term = multiply(term, 2n * square) / n
    sum += term
  }
  // Divided by exp(x^2), not multiplied by exp(-x^2), whose few leading bits would not do.
  return divide(2n * sum, multiply(squareRoot(pi()), exp(square)))
}

/** log |Gamma(x)|: shifted past 100, where 90 terms of Stirling's series leave less than 2^-580. */
export function lgamma(x: bigint): bigint {
  // The first factor stays out of the product, which would cut a small x.
  const first = x < 0n ? -x : x
  let product = one
  let z = x + one
  while (z < 100n * one) {
    product = multiply(product, z)
    z += one
  }
  // Powers of 1 / z with 600 bits more: Bernoulli numbers grow nearly as fast as they shrink.
  let power = (one << 1112n) / z
  let series = 0n
  for (let k = 1; k <= 90; k++) {
    const [numerator, denominator] = bernoulli(2 * k)
    series += (power * numerator) / (denominator * BigInt(2 * k * (2 * k - 1)))
    power = (((power << places) / z) << places) / z
  }
  series >>= 600n
  const half = one / 2n
  const stirling = multiply(z - half, log(z)) - z + log(2n * pi()) / 2n + series
  return stirling - log(product < 0n ? -product : product) - log(first)
}

/** A value computed at its first use and kept. */
function once<T>(compute: () => T): () => T {
  let value: T | undefined
  return () => {
    value ??= compute()
    return value
  }
}

/** ln 2 = 2 atanh(1/3). */
const ln2: () => bigint = once(() => 2n * oddSeries(one / 3n, one / 9n))

/** Machin: pi = 16 atan(1/5) - 4 atan(1/239), with 160 more fraction bits. */
const widePi: () => bigint = once(() => {
  const inverseAtan = (n: bigint): bigint => {
    let sum = 0n
    let power = (one << 176n) / n
    for (let k = 1n; power !== 0n; k += 2n) {
      sum += k % 4n === 1n ? power / k : -power / k
      power /= n * n
    }
    return sum
  }
  return (16n * inverseAtan(5n) - 4n * inverseAtan(239n)) >> 16n
})

export const pi: () => bigint = once(() => widePi() >> 160n)

export const logOf2: () => bigint = ln2
export const logOf10: () => bigint = once(() => log(10n * one))

const bernoulliNumbers: () => (readonly [bigint, bigint])[] = once(() => [[1n, 1n]])

/** Bernoulli number B(n) as a fraction, from sum of binomial(n + 1, j) B(j), j = 0 ... n, being 0. */
function bernoulli(n: number): readonly [bigint, bigint] {
  const known = bernoulliNumbers()
  for (let m = known.length; m <= n; m++) {
    let [numerator, denominator, binomial] = [0n, 1n, 1n]
    for (let j = 0; j < m; j++) {
      const [p, q] = known[j]!
      if (p !== 0n) {
        numerator = numerator * q + binomial * p * denominator
        denominator *= q
        const divisor = gcd(numerator, denominator)
        numerator /= divisor
        denominator /= divisor
      }
      binomial = (binomial * BigInt(m + 1 - j)) / BigInt(j + 1)
    }
    const [p, q] = [-numerator, denominator * BigInt(m + 1)]
    const divisor = gcd(p, q)
    known.push([p / divisor, q / divisor])
  }
  return known[n]!
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b]
  while (y !== 0n) [x, y] = [y, x % y]
  return x === 0n ? 1n : x
}
