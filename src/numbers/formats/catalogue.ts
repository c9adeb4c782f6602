import { nearestName, shown } from '../../base/options/index.js'
import { defineFormat, type FloatFormat, type NaNCodes } from './format.js'

/** The named formats, spelt as ml_dtypes spells them. */
export type FormatName =
  | 'bfloat16'
  | 'float16'
  | 'float8_e3m4'
  | 'float8_e4m3'
  | 'float8_e4m3fn'
  | 'float8_e4m3fnuz'
  | 'float8_e4m3b11fnuz'
  | 'float8_e5m2'
  | 'float8_e5m2fnuz'
  | 'float8_e8m0fnu'
  | 'float6_e2m3fn'
  | 'float6_e3m2fn'
  | 'float4_e2m1fn'

// Facts as ml_dtypes 0.6.0 has them (github.com/jax-ml/ml_dtypes), under its names; float16 is IEEE binary16.
const catalogue: Readonly<Record<FormatName, FloatFormat>> = {
  bfloat16: signed('bfloat16', 8, 7, 127, 'ieee', true),
  float16: signed('float16', 5, 10, 15, 'ieee', true),
  float8_e3m4: signed('float8_e3m4', 3, 4, 3, 'ieee', true),
  float8_e4m3: signed('float8_e4m3', 4, 3, 7, 'ieee', true),
  float8_e4m3fn: signed('float8_e4m3fn', 4, 3, 7, 'top', false),
  float8_e4m3fnuz: signed('float8_e4m3fnuz', 4, 3, 8, 'negative-zero', false),
  float8_e4m3b11fnuz: signed('float8_e4m3b11fnuz', 4, 3, 11, 'negative-zero', false),
  float8_e5m2: signed('float8_e5m2', 5, 2, 15, 'ieee', true),
  float8_e5m2fnuz: signed('float8_e5m2fnuz', 5, 2, 16, 'negative-zero', false),
  float8_e8m0fnu: defineFormat({
    name: 'float8_e8m0fnu',
    exponentBits: 8,
    mantissaBits: 0,
    bias: 127,
    nan: 'top',
    infinity: false,
    signed: false,
    subnormals: false,
    zero: false,
  }),
  float6_e2m3fn: signed('float6_e2m3fn', 2, 3, 1, 'none', false),
  float6_e3m2fn: signed('float6_e3m2fn', 3, 2, 3, 'none', false),
  float4_e2m1fn: signed('float4_e2m1fn', 2, 1, 1, 'none', false),
}

function signed(
  name: string,
  exponentBits: number,
  mantissaBits: number,
  bias: number,
  nan: NaNCodes,
  infinity: boolean,
): FloatFormat {
  return defineFormat({ name, exponentBits, mantissaBits, bias, nan, infinity })
}

/** The names of all of them, widest first. */
export const formatNames: readonly FormatName[] = Object.freeze(Object.keys(catalogue) as FormatName[])

/**
 * The record of a format: facts such as bits, exponentBits, mantissaBits, bias, max, minNormal. A record passes through.
 *
 * Throws    TypeError for an unknown name.
 *
 * @example format('bfloat16').max // 3.3895313892515355e+38
 * @example format('float8_e4m3fn').max // 448
 */
export function format(name: FormatName | FloatFormat): FloatFormat {
  if (typeof name === 'object' && name !== null) {
    if (typeof name.magnitudeMask === 'number') return name
    throw new TypeError(
      `format: not the record of a format, which format(name) and defineFormat give [${shown(name)}]`,
    )
  }
  if (Object.hasOwn(catalogue, name)) return catalogue[name]
  const near = typeof name === 'string' ? nearestName(name, formatNames) : undefined
  const meant = near === undefined ? '' : `, did you mean ${near}`
  throw new TypeError(`format: unknown name, known are ${formatNames.join(' ')}${meant} [${shown(name)}]`)
}
