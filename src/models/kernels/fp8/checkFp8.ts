import { nearestName, shown } from '../../../base/options/index.js'
import { type FormatName, format, formatNames } from '../../../numbers/formats/index.js'

/**
 * Throws a TypeError unless a format is a signed float of 8 bits at most: what a product with a float32 accumulator takes, its
 * products exact there.
 */
export function checkFp8(op: string, name: unknown): asserts name is FormatName {
  const known = formatNames.find((one) => one === name)
  if (known === undefined) {
    const near = typeof name === 'string' ? nearestName(name, formatNames) : undefined
    throw new TypeError(`${op}: no such format${near ? `, did you mean ${near}` : ''} [${shown(name)}]`)
  }
  const { bits, signed } = format(known)
  if (bits > 8) throw new TypeError(`${op}: not a format of 8 bits or fewer [${known}]`)
  if (!signed) throw new TypeError(`${op}: has neither a sign nor 0 [${known}]`)
}
