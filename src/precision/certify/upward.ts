/** A little more than x >= 0: covers the rounding of two float64 operations on it; 0 stays 0. */
export function up(x: number): number {
  return x === 0 ? 0 : x * (1 + 2 ** -50) + 2 ** -1073
}

/** |a - b|, 0 for equal infinities; Infinity for NaN. */
export function apart(a: number, b: number): number {
  if (a === b) return 0
  const distance = Math.abs(a - b)
  return Number.isNaN(distance) ? Number.POSITIVE_INFINITY : distance
}

/** NaN as a bound becomes Infinity. */
export function boundOf(x: number): number {
  return Number.isNaN(x) ? Number.POSITIVE_INFINITY : x
}

/** An upper bound of |exact a + b - r|, the sum's own rounding in float64 included. */
export function sumGap(a: number, b: number, r: number): number {
  const s = a + b
  if (!Number.isFinite(s)) return apart(s, r)
  // TwoSum: what float64 lost of a + b, exactly.
  const back = s - a
  const lost = a - (s - back) + (b - back)
  return up(apart(s, r) + Math.abs(lost))
}

/** An upper bound of |a b - r|; the product of two numbers of 26 bits is exact, another is off by half an ulp. */
export function productGap(a: number, b: number, r: number, exact: boolean): number {
  const p = a * b
  const lost =
    exact && Math.abs(p) > 2 ** -1000
      ? 0
      : p === 0 && (a === 0 || b === 0)
        ? 0
        : Math.abs(p) * 2 ** -53 + 2 ** -1074
  return up(apart(p, r) + lost)
}

/** An upper bound of |a / b - r|. */
export function quotientGap(a: number, b: number, r: number, exact: boolean): number {
  const q = a / b
  if (!Number.isFinite(q) || !Number.isFinite(r)) return apart(q, r)
  // A remainder of zero, found exactly, is an exact quotient.
  if (exact && q === r && q * b === a && Math.abs(a) > 2 ** -900) return 0
  return a === 0 ? apart(q, r) : up(apart(q, r) + Math.abs(q) * 2 ** -53 + 2 ** -1074)
}
