import { shown } from '../options/index.js'
import { readable } from './readable.js'

/**
 * Bytes as people read them on a chip: GiB, or MiB below one.
 *
 * @example bytesText(16 * 2 ** 30) // '16 GiB'
 * @example bytesText(3 * 2 ** 18) // '0.75 MiB'
 */
export function bytesText(bytes: number): string {
  checkAnyNumber('bytesText', 'bytes', bytes)
  const gib = bytes / 2 ** 30
  return gib >= 1 || bytes === 0 ? `${readable(gib)} GiB` : `${readable(bytes / 2 ** 20)} MiB`
}

/**
 * Seconds as s, ms or us.
 *
 * @example secondsText(0.0125) // '12.5 ms'
 */
export function secondsText(seconds: number): string {
  checkAnyNumber('secondsText', 'seconds', seconds)
  if (seconds >= 1 || seconds === 0) return `${readable(seconds)} s`
  return seconds >= 1e-3 ? `${readable(seconds * 1e3)} ms` : `${readable(seconds * 1e6)} us`
}

/**
 * A share as a percentage.
 *
 * @example percentText(0.125) // '12.5 %'
 */
export function percentText(share: number): string {
  checkAnyNumber('percentText', 'share', share)
  return `${(100 * share).toFixed(1)} %`
}

/** A number, whichever: a time that is not known is NaN, one that never ends is infinite, and both are read. */
function checkAnyNumber(op: string, what: string, value: unknown): void {
  if (typeof value !== 'number') throw new TypeError(`${op}: ${what} is not a number [${shown(value)}]`)
}
