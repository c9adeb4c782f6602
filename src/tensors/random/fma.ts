const { fround } = Math

/**
 * a * b + c of three float32 values, rounded once to float32. Finite operands whose result does not overflow.
 *
 * The product is exact in float64 (24 + 24 bits). The float64 sum is rounded, and rounding it again is wrong in
 * one case only: when it lands on the midpoint of two float32 values and is not the exact sum.
 */
export function fmaFloat32(a: number, b: number, c: number): number {
  const sum = a * b + c
  const near = fround(sum)
  // The reflection of near in sum is a float32 only when sum is itself one or a midpoint.
  const far = sum + (sum - near)
  return fround(far) === far ? nearerByDropped(a * b, c, near, far) : near
}

/** Of two float32 values around product + c, with its float64 sum in their middle: the nearer, a tie keeps near. */
function nearerByDropped(product: number, c: number, near: number, far: number): number {
  const sum = product + c
  const addend = sum - product
  // What float64 dropped, exactly (Knuth's two-sum), says on which side of the middle the true sum lies.
  const dropped = product - (sum - addend) + (c - addend)
  if (dropped === 0) return near
  return dropped > 0 ? Math.max(near, far) : Math.min(near, far)
}
