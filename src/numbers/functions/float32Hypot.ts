/**
 * sqrt(a^2 + b^2) of float32 numbers, rounded once to float32.
 *
 * Special   an infinite operand gives Infinity, beside NaN too; else NaN gives NaN.
 * Cost      10 ns: squares of float32 are exact in float64, and so is the comparison with a midpoint's square.
 *
 * @example float32Hypot(3, 4) // 5
 */
export function float32Hypot(a: number, b: number): number {
  const x = Math.abs(a)
  const y = Math.abs(b)
  if (x === Infinity || y === Infinity) return Infinity
  const larger = Math.max(x, y) ** 2
  const smaller = Math.min(x, y) ** 2
  const square = larger + smaller
  const root = Math.sqrt(square)
  const error = root * 2 ** -50
  const low = Math.fround(root - error)
  const high = Math.fround(root + error)
  return low === high || Number.isNaN(root) ? low : chosen(low, high, square, smaller - (square - larger))
}

/** Of two neighbours the one nearest to the root of square + rest. */
function chosen(low: number, high: number, square: number, rest: number): number {
  // Where `high` is infinite, the midpoint is half an ulp above the largest float32.
  const midpoint = high === Infinity ? 2 ** 128 - 2 ** 103 : 0.5 * (low + high)
  // 25 bits squared are exact, and so near each other the difference is.
  const beyond = square - midpoint * midpoint + rest
  if (beyond === 0) return Math.fround(midpoint)
  return beyond > 0 ? high : low
}
