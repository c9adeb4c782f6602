import { checkFlag, checkOptions, noOptions, type OptionTable } from '../../base/options/index.js'
import { defineFormat, type FloatFormat } from './format.js'

/** What is left to choose in a format of P3109 beyond its width and precision. */
export interface P3109Options {
  /** Default true. */
  readonly signed?: boolean
  /** Whether it has infinities (the draft's extended domain) or not (its finite one). Default true. */
  readonly infinity?: boolean
}

const p3109Names: OptionTable<P3109Options> = { signed: 'optional', infinity: 'optional' }

/**
 * A format of the IEEE working group P3109, binary<bits>p<precision>: one zero, one NaN (at the place of negative zero;
 * unsigned: the last code), infinities at the ends or none, subnormals, 1 in the middle of the codes.
 *
 * @param bits 3 .. 16, as far as its values are float32: exponents of at most 8 bits, 376 of 504; `p3109Type` of p3109 has all
 * @param precision significand bits, the hidden one included: 1 .. bits - 1, unsigned 1 .. bits
 *
 * Source  github.com/P3109/Public, its value tables Binary<K>p<P><s|u><e|f>, whose names these are in lower case.
 *
 * @example p3109Format(8, 4).name // binary8p4se
 * @example [p3109Format(8, 4).max, p3109Format(8, 4, { infinity: false }).max] // [224, 240]
 * @example decode(0x80, p3109Format(8, 4, { signed: false })) // 1
 */
export function p3109Format(bits: number, precision: number, options: P3109Options = noOptions): FloatFormat {
  checkOptions('p3109Format', options, p3109Names, { positional: 'signed' })
  const { signed = true, infinity = true } = options
  checkFlag('p3109Format', 'signed', signed)
  checkFlag('p3109Format', 'infinity', infinity)
  if (!Number.isInteger(bits) || bits < 3 || bits > 16) {
    throw new RangeError(`p3109Format: bits outside 3..16 [${bits}]`)
  }
  const most = signed ? bits - 1 : bits
  if (!Number.isInteger(precision) || precision < 1 || precision > most) {
    throw new RangeError(`p3109Format: precision outside 1..${most} of ${bits} bits [${precision}]`)
  }
  const exponentBits = most - precision + 1
  if (exponentBits > 8) {
    const name = `binary${bits}p${precision}${signed ? 's' : 'u'}${infinity ? 'e' : 'f'}`
    throw new RangeError(
      `p3109Format: values outside float32's, p3109Type of tpu-toolkit/p3109 has them [${name}]`,
    )
  }
  return defineFormat({
    name: `binary${bits}p${precision}${signed ? 's' : 'u'}${infinity ? 'e' : 'f'}`,
    exponentBits,
    mantissaBits: precision - 1,
    bias: 2 ** (exponentBits - 1),
    nan: signed ? 'negative-zero' : 'top',
    infinity,
    signed,
  })
}
