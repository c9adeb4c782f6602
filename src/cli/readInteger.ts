import { BadInput } from './badInput.js'

/** An integer of an option, within limits. */
export function readInteger(option: string, text: string, least: number, most: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  throw new BadInput(`--${option} takes integers ${least} ... ${most} [${text.slice(0, 50)}]`)
}
