/** A number with so many digits behind the point; what rounds to 0 has no sign. */
export function fixed(value: number, digits: number): string {
  return (Number(value.toFixed(digits)) + 0).toFixed(digits)
}
