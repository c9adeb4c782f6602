/** A value, written as `plain`, in the few characters of a cell of the map: three digits tell neighbours of 8-bit formats apart. */
export function codeLabel(value: number, plain: string): string {
  if (plain.length <= 5) return plain
  const near = Number(value.toPrecision(3))
  const [fixed, power] = [String(near), near.toExponential()]
  return fixed.length <= power.length ? fixed : power
}
