/**
 * (from - to) share + to: `from` at share 1 and `to` at share 0, both exactly; monotone between, and constant where the
 * two are equal.
 */
export function blend(from: number, to: number, share: number): number {
  return share === 1 ? from : (from - to) * share + to
}

/**
 * (1 + cos(pi q)) / 2 for q from 0 to 1: exactly 1, 1/2 and 0 at 0, 1/2 and 1. In the second half it is
 * sin(pi (1 - q) / 2)^2, as 1 + cos would cancel there.
 */
export function cosineShare(q: number): number {
  return q <= 0.5 ? (1 + Math.cos(Math.PI * q)) / 2 : Math.sin((Math.PI / 2) * (1 - q)) ** 2
}
