/** A fraction of integers, unreduced; d > 0. */
export interface Rational {
  readonly n: bigint
  readonly d: bigint
}

/** The exact fraction of a finite float64 number. */
export function rationalOf(x: number): Rational {
  if (!Number.isFinite(x)) throw new RangeError(`rationalOf: not finite [${x}]`)
  let d = 1n
  let n = x
  while (!Number.isInteger(n)) {
    n *= 2 ** 50
    d <<= 50n
  }
  return { n: BigInt(n), d }
}

/** A decimal such as -1.5e-12, exactly. */
export function rationalOfDecimal(text: string): Rational {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(
    text,
  )!
  const shift = Number(exponent) - fraction.length
  const digits = BigInt(`${sign}${whole}${fraction}`)
  return shift >= 0 ? { n: digits * 10n ** BigInt(shift), d: 1n } : { n: digits, d: 10n ** BigInt(-shift) }
}

export const rational = {
  add: (a: Rational, b: Rational): Rational => ({ n: a.n * b.d + b.n * a.d, d: a.d * b.d }),
  sub: (a: Rational, b: Rational): Rational => ({ n: a.n * b.d - b.n * a.d, d: a.d * b.d }),
  mul: (a: Rational, b: Rational): Rational => ({ n: a.n * b.n, d: a.d * b.d }),
  div: (a: Rational, b: Rational): Rational =>
    b.n < 0n ? { n: -a.n * b.d, d: -a.d * b.n } : { n: a.n * b.d, d: a.d * b.n },
  abs: (a: Rational): Rational => (a.n < 0n ? { n: -a.n, d: a.d } : a),
  /** Whether a <= b. */
  atMost: (a: Rational, b: Rational): boolean => a.n * b.d <= b.n * a.d,
}

/** Whether |x - exact| <= bound, in integers; any bound that is Infinity holds. */
export function within(x: number, exact: Rational, bound: number): boolean {
  if (bound === Infinity) return true
  if (!Number.isFinite(x)) return false
  return rational.atMost(rational.abs(rational.sub(rationalOf(x), exact)), rationalOf(bound))
}

/** A fraction as a number, to a few digits. */
export function approximately({ n, d }: Rational): number {
  const shift = BigInt(Math.max(0, d.toString(2).length - n.toString(2).length + 60))
  return (
    Number((n << shift) / d) / 2 ** Math.min(Number(shift), 1000) / 2 ** Math.max(0, Number(shift) - 1000)
  )
}
