import { checkText } from '../../base/options/index.js'
import { BadInput } from './badInput.js'

/** A finite number of an option. */
export function readNumber(option: string, text: string): number {
  checkText('readNumber', 'text', text)
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (!Number.isFinite(value)) throw new BadInput(`--${option} is not a number [${text.slice(0, 50)}]`)
  return value
}

/** A whole number of an option, `least` or more. */
export function readCount(option: string, text: string, least: number): number {
  checkText('readCount', 'text', text)
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (!Number.isSafeInteger(value) || value < least) {
    throw new BadInput(`--${option} is not a whole number, ${least} or more [${text.slice(0, 50)}]`)
  }
  return value
}

/** A whole number of an option, within limits. */
export function readInteger(option: string, text: string, least: number, most: number): number {
  checkText('readInteger', 'text', text)
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  throw new BadInput(`--${option} is not a whole number from ${least} to ${most} [${text.slice(0, 50)}]`)
}
