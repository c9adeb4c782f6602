/**
 * Whether a float64 that is off by up to 2^-44 of itself may lie on another side of a number of at most 18 bits than the true
 * value: only then can rounding it to 16 bits or fewer give another code.
 */
export function nearFewBits(y: number): boolean {
  // Veltkamp's split, 18 bits above.
  const spread = (2 ** 35 + 1) * y
  const few = spread - (spread - y)
  return Math.abs(y - few) <= Math.abs(y) * 2 ** -44
}
