import { checkFlag, checkInteger, checkOptions, type OptionTable } from '../../base/options/index.js'

/** Which dynamic map. */
export interface DynamicMapOptions {
  /** Whether it has negative numbers. Default: true. */
  readonly signed?: boolean
  /** Decades of numbers: the smallest are about 10^-exponentBits. Default: 7; without a sign only `bits - 1`. */
  readonly exponentBits?: number
  /** Bits of a code, 2 to 8. Default: 8. */
  readonly bits?: number
}

const names: OptionTable<DynamicMapOptions> = {
  signed: 'optional',
  exponentBits: 'optional',
  bits: 'optional',
}

const { fround } = Math

/**
 * The numbers that codes of bitsandbytes' dynamic data type stand for, ascending: 0, 1, and in each decade below 1 evenly spaced ones, twice
 * as many as in the decade below it. Code 127 of 8 bits with a sign is 0; without a sign it is code 0.
 *
 * Shape     2^bits numbers.
 * Rounding  the bits of PyTorch's CPU arithmetic in float32 (the ends of intervals by one fused multiply-add each).
 * Throws    RangeError for bits beyond 2..8, exponentBits beyond 1..bits - 1, and other ones than bits - 1 without a sign.
 * Source    8-bit optimizers via block-wise quantization, arXiv:2110.02861; bitsandbytes 0.50.2 (functional.py, create_dynamic_map)
 *
 * @example dynamicMap().length // 256
 * @example dynamicMap({ exponentBits: 3, bits: 4 })[0] // -0.887499988079071
 */
export function dynamicMap(options: DynamicMapOptions = {}): Float32Array {
  const op = 'dynamicMap'
  checkOptions(op, options, names)
  const { signed = true, exponentBits = 7, bits = 8 } = options
  checkFlag(op, 'signed', signed)
  checkInteger(op, 'bits', bits, 2, 8)
  checkInteger(op, 'exponentBits', exponentBits, 1, bits - 1)
  const fractionBits = bits - 1 - exponentBits
  if (!signed && fractionBits > 0) {
    throw new RangeError(
      `${op}: without a sign exponentBits are bits - 1, or codes are left over [${exponentBits}]`,
    )
  }
  const values = [0, 1]
  const addDecade = (decade: number, count: number): void => {
    const power = fround(10 ** (decade + 1 - exponentBits))
    for (const mean of means(count)) {
      values.push(fround(power * mean))
      if (signed) values.push(fround(-power * mean))
    }
  }
  for (let decade = 0; decade < exponentBits; decade++) {
    addDecade(decade, 2 ** (decade + fractionBits + (signed ? 0 : 1)))
  }
  if (fractionBits > 0) addDecade(exponentBits - 1, 2 ** fractionBits - 1)
  return Float32Array.from(values).sort()
}

/** The middles of so many equal intervals from 0.1 to 1, their ends as torch.linspace rounds them. */
function means(count: number): number[] {
  const [start, step] = [fround(0.1), fround(fround(1 - fround(0.1)) / count)]
  const end = (i: number): number =>
    i < (count + 1) >> 1 ? fround(start + step * i) : fround(1 - step * (count - i))
  return Array.from({ length: count }, (_, i) => fround(fround(end(i) + end(i + 1)) / 2))
}
