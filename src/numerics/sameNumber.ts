/** Whether two numbers are the same place on the line: zeros of either sign are, NaN is like NaN. */
export function sameNumber(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b))
}
