/** base ** n in float32 by repeated squaring, lowest bit first: XLA's power of a whole exponent that it knows. */
export function powerBySquaring(base: number, n: number): number {
  let result = 1
  for (let square = base, rest = n; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = Math.fround(result * square)
    square = Math.fround(square * square)
  }
  return result
}
