import { checkNumber } from '../../base/options/index.js'

/** Throws unless an option is a number above 0. */
export function checkPositive(op: string, name: string, value: number): void {
  checkNumber(op, name, value)
  if (!(value > 0)) throw new RangeError(`${op}: ${name} is not above 0 [${value}]`)
}
