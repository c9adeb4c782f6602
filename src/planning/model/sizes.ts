import { checkInteger, shown } from '../../base/options/index.js'

/** Checks that every size is a whole number of at least 1. */
export function checkSizes(op: string, sizes: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(sizes)) checkInteger(op, name, value, 1)
}

/** A switch: absent is off; 0 and 1, as tables write it, count as well. */
export function isOn(op: string, name: string, value: unknown): boolean {
  if (value === undefined || value === false || value === 0) return false
  if (value === true || value === 1) return true
  throw new RangeError(`${op}: ${name} is neither true nor false [${shown(value)}]`)
}

/** The width of a head: D / N, which has to be whole. */
export function headsOf(op: string, D: number, N: number): number {
  checkSizes(op, { N })
  if (D % N === 0) return D / N
  throw new RangeError(
    `${op}: N heads do not divide D, nearest N ${nearestDivisor(D, N)}, or give the width H of a head [D ${D}, N ${N}]`,
  )
}

/** The divisor of a whole number that is nearest to another; of two the smaller. */
export function nearestDivisor(whole: number, wanted: number): number {
  let best = 1
  for (let d = 1; d <= Math.min(whole, 65_536); d++) {
    if (whole % d === 0 && Math.abs(d - wanted) < Math.abs(best - wanted)) best = d
  }
  return best
}
