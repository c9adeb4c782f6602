import type { FloatFormat } from './format.js'

/** Throws unless the value is a code of the format. */
export function checkCode(op: string, code: number, format: FloatFormat): void {
  if (!Number.isInteger(code) || code < 0 || code >= 2 ** format.bits) {
    throw new RangeError(`${op}: code outside 0..${2 ** format.bits - 1} of ${format.name} [${code}]`)
  }
}
