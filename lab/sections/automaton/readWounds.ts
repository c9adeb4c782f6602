import type { Wound } from './automatonMessages.js'

/** The most steps, and the most wounds that the address holds. */
export const mostSteps = 2000
export const mostWounds = 40

/** Wounds as they stand in the address, `96:0.35,-0.2,0.3;...`: the step, the place, the radius. */
export function readWounds(written: string): Wound[] {
  return written.split(';').flatMap((one) => {
    const numbers = one.split(/[:,]/).map(Number)
    const [step, x, y, radius] = numbers as [number, number, number, number]
    const whole = Number.isInteger(step) && step >= 0 && step <= mostSteps
    const known = [x, y, radius].every((value) => value >= -1 && value <= 1) && radius >= 0
    return one !== '' && numbers.length === 4 && whole && known ? [{ step, x, y, radius }] : []
  })
}

/** The wounds with one more, in the order of their steps. */
export function withWound(written: string, { step, x, y, radius }: Wound): string {
  const one = `${step}:${[x, y, radius].map((value) => Number(value.toFixed(2))).join(',')}`
  return written === '' ? one : `${written};${one}`
}
