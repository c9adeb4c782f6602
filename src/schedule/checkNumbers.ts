import { shown } from '../base/options/index.js'

type Numbers = Readonly<Record<string, number>>

function check(op: string, numbers: Numbers, holds: (value: number) => boolean, what: string): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (!(Number.isFinite(value) && holds(value))) {
      throw new RangeError(`${op}: ${name} is not ${what} [${shown(value)}]`)
    }
  }
}

/** Throws unless each of the named options is a finite number. */
export function checkFinite(op: string, numbers: Numbers): void {
  check(op, numbers, () => true, 'a finite number')
}

/** Throws unless each of the named options is finite and at least 0. */
export function checkNotNegative(op: string, numbers: Numbers): void {
  check(op, numbers, (value) => value >= 0, 'a finite number, 0 or more')
}

/** Throws unless each of the named options is finite and above 0. */
export function checkPositive(op: string, numbers: Numbers): void {
  check(op, numbers, (value) => value > 0, 'a finite number above 0')
}

/** Throws unless each of the named options is a whole number from `least` on. */
export function checkCount(op: string, numbers: Numbers, least: number): void {
  check(
    op,
    numbers,
    (value) => Number.isSafeInteger(value) && value >= least,
    `a whole number, ${least} or more`,
  )
}

/** Throws unless the step is a finite number, 0 or more. */
export function checkStep(op: string, step: number): void {
  checkNotNegative(op, { step })
}
