/** A number as the unevaluated sum of two float64, the second below an ulp of the first. */
export type Pair = readonly [high: number, low: number]

// Read by index here and in the callers: taken apart as iterables, pairs cost ten times as much.

const splitter = 2 ** 27 + 1

/** a + b exactly, as Knuth's sum. */
export function twoSum(a: number, b: number): Pair {
  const sum = a + b
  const rest = sum - a
  return [sum, a - (sum - rest) + (b - rest)]
}

/** a * b exactly, as Dekker's product: below 2^996, and where the low part does not underflow. */
export function twoProduct(a: number, b: number): Pair {
  const product = a * b
  const p = splitter * a
  const upperA = p - (p - a)
  const lowerA = a - upperA
  const q = splitter * b
  const upperB = q - (q - b)
  const lowerB = b - upperB
  return [product, upperA * upperB - product + upperA * lowerB + lowerA * upperB + lowerA * lowerB]
}

/** The product of two pairs, to about 2^-102. */
export function times(a: Pair, b: Pair): Pair {
  const product = twoProduct(a[0], b[0])
  return twoSum(product[0], product[1] + (a[0] * b[1] + a[1] * b[0]))
}

/** The sum of two pairs, to about 2^-104 of the larger. */
export function plus(a: Pair, b: Pair): Pair {
  const sum = twoSum(a[0], b[0])
  return twoSum(sum[0], sum[1] + (a[1] + b[1]))
}

/** whole - x scale, scale being a power of two. */
export function minus(whole: number, x: Pair, scale: number): Pair {
  return plus([whole, 0], [-x[0] * scale, -x[1] * scale])
}

/** The quotient of two pairs, to about 2^-100. */
export function over(a: Pair, b: Pair): Pair {
  const first = a[0] / b[0]
  const back = twoProduct(first, b[0])
  return twoSum(first, (a[0] - back[0] - back[1] + a[1] - first * b[1]) / b[0])
}

/** A pair times 2^exponent as one float64, also where that is subnormal or overflows. */
export function scaled(x: Pair, exponent: number): number {
  const half = Math.trunc(exponent / 2)
  return (x[0] + x[1]) * 2 ** half * 2 ** (exponent - half)
}
