/**
 * x y + s rounded once to float32, for float32 operands: the fused multiply-add.
 *
 * Rounding  the product is exact in float64; where its sum there is half-way between two float32 numbers, what that sum lost
 *           decides.
 *
 * @example fmaFloat32(3, 4, 5) // 17
 */
export function fmaFloat32(x: number, y: number, s: number): number {
  const product = x * y
  const total = product + s
  const near = Math.fround(total)
  const other = near + 2 * (total - near)
  if (other === near || Math.fround(other) !== other) return near
  const part = total - product
  const lost = product - (total - part) + (s - part)
  if (lost === 0 || Number.isNaN(lost)) return near
  return lost > 0 ? Math.max(near, other) : Math.min(near, other)
}
