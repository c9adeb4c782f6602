import {
  checkFlag,
  checkNumber,
  checkOptions,
  checkRecord,
  type OptionTable,
} from '../../../base/options/index.js'
import type { FormatName } from '../../../numbers/formats/index.js'
import {
  cast,
  checkFloatDType,
  checkTensor,
  type FloatDType,
  full,
  holds,
  isFloat,
  matmul,
  mul,
  reciprocal,
  Tensor,
} from '../../../tensors/tensor/index.js'
import { shapedProduct } from '../gemm/gemm.js'
import { onUnit, wayOf } from '../gemm/unitWay.js'
import type { Unit } from '../units/unit.js'
import type { UnitName } from '../units/units.js'
import { checkFp8 } from './checkFp8.js'
import { codesOf, roundCotangent, roundScaled } from './roundScaled.js'

/** A number as it is given: `delayedScale` has tensors. */
export type Scale = Tensor<'float32'> | number

/** How a tensor becomes codes. */
export interface CastScaledOptions<F extends FormatName = FormatName> {
  /** Elements are multiplied with it first, in float32. */
  readonly scale: Scale
  /** Default 'float8_e4m3fn'. */
  readonly format?: F
  /** What is too large becomes the largest value, as TransformerEngine does; else Inf or NaN, as XLA. Default true. */
  readonly saturate?: boolean
}

const castNames: OptionTable<CastScaledOptions> = {
  ...{ scale: 'required', format: 'optional', saturate: 'optional' },
}

/**
 * The codes of x times a scale.
 *
 * Shape     that of x. Dtype `format`.
 * Rounding  x scale to float32, then to the format.
 * Special   NaN stays; past the largest value that value, without `saturate` what the format has.
 *
 * @example castScaled(tensor([1, 100]), { scale: 8 }).toNested() // [8, 448]
 * @example castScaled(tensor([1, 100]), { scale: 8, saturate: false }).toNested() // [8, NaN]
 */
export function castScaled<F extends FormatName = 'float8_e4m3fn'>(
  x: Tensor,
  options: CastScaledOptions<F>,
): Tensor<F> {
  checkOperand('castScaled', x)
  checkOptions('castScaled', options, castNames, { positional: 'scale' })
  const { scale, format = 'float8_e4m3fn', saturate = true } = options
  checkFp8('castScaled', format)
  checkFlag('castScaled', 'saturate', saturate)
  return codesOf(x, scaleOf('castScaled', 'scale', scale), { format, saturate }) as Tensor<F>
}

/** The attributes of fp8Matmul. */
export interface Fp8MatmulOptions<R extends FloatDType = FloatDType> {
  /** The scales of both operands; `gradient`, that of the cotangent, which is else not rounded. */
  readonly scales: { readonly a: Scale; readonly b: Scale; readonly gradient?: Scale }
  /** Default 'float8_e4m3fn' for both operands, 'float8_e5m2' for the cotangent: the hybrid recipe. */
  readonly formats?: { readonly a?: FormatName; readonly b?: FormatName; readonly gradient?: FormatName }
  /** As castScaled's. Default true. */
  readonly saturate?: boolean
  /** The dtype of the result. Default: that of the operands. */
  readonly dtype?: R
  /** The matrix unit of a GPU that adds the products into float32, as `unitDot`'s. Default: a running float32 sum. */
  readonly unit?: UnitName | Unit
  /** Every so many products the unit's sum, from 0, is added to a float32 total. Default: one chain. */
  readonly promote?: number
}

const names: OptionTable<Fp8MatmulOptions> = {
  ...{ scales: 'required', formats: 'optional', saturate: 'optional', dtype: 'optional' },
  ...{ unit: 'optional', promote: 'optional' },
}
const operandNames = { a: 'required', b: 'required', gradient: 'optional' } as const
const formatNames = { a: 'optional', b: 'optional', gradient: 'optional' } as const

/**
 * Matrix product of operands in fp8, one scale a tensor.
 *
 * Shape     as matmul's.
 * Dtype     operands any floats that float32 holds; the result has `dtype`, default theirs.
 * Rounding  codes as `castScaled`; products exact, a running float32 sum, k ascending, or as
 *           `unit` adds them; times (1/scale a 1/scale b), each of the
 *           three rounded to float32; once to the dtype.
 * Special   what is past the range of a stale scale is clipped, or NaN without `saturate`.
 * Error     relative to sum |a b|: 2^-3 for e4m3 and e4m3 where nothing is clipped or subnormal, 2^-2.4 with e5m2; noise of 3.7 and 6.2 %.
 * Gradient  through the codes as if they were not rounded, in float32, against the rounded other operand; with a scale `gradient`
 *           the cotangent is rounded to its format first.
 * Source    Micikevicius and others, FP8 Formats for Deep Learning, arXiv 2209.05433; NVIDIA TransformerEngine
 *
 * @example fp8Matmul(tensor([[1, 2]]), tensor([[3], [4]]), { scales: { a: 64, b: 64 } }).toNested() // [[11]]
 */
export function fp8Matmul<D extends FloatDType, R extends FloatDType = D>(
  a: Tensor<D>,
  b: Tensor<D>,
  options: Fp8MatmulOptions<R>,
): Tensor<R> {
  checkOperand('fp8Matmul', a)
  checkOperand('fp8Matmul', b)
  checkOptions('fp8Matmul', options, names, { positional: 'scales' })
  const { scales, formats = {}, saturate = true, dtype = a.dtype } = options
  checkRecord('fp8Matmul', 'scales', scales)
  checkOptions('fp8Matmul', scales, operandNames)
  checkOptions('fp8Matmul', formats, formatNames)
  checkFlag('fp8Matmul', 'saturate', saturate)
  checkFloatDType('fp8Matmul', 'dtype', dtype)
  const { a: formatA = 'float8_e4m3fn', b: formatB = 'float8_e4m3fn', gradient = 'float8_e5m2' } = formats
  for (const format of [formatA, formatB, gradient]) checkFp8('fp8Matmul', format)
  if (formats.gradient !== undefined && scales.gradient === undefined) {
    throw new RangeError(`fp8Matmul: a format of cotangents needs scales.gradient [${formats.gradient}]`)
  }
  const way = wayOf('fp8Matmul', options, formatA, formatB)
  const scaleA = scaleOf('fp8Matmul', 'scale a', scales.a)
  const scaleB = scaleOf('fp8Matmul', 'scale b', scales.b)
  const left = roundScaled(a, scaleA, { format: formatA, saturate })
  const right = roundScaled(b, scaleB, { format: formatB, saturate })
  const sums = way ? shapedProduct('fp8Matmul', left, right, onUnit(way)) : matmul(left, right)
  const scaled = mul(sums, mul(reciprocal(scaleA), reciprocal(scaleB)))
  if (scales.gradient === undefined) return cast(scaled, dtype as R)
  const scaleG = scaleOf('fp8Matmul', 'scale gradient', scales.gradient)
  return cast(roundCotangent(scaled, scaleG, { format: gradient, saturate }), dtype as R)
}

function checkOperand(op: string, x: Tensor): void {
  checkTensor(op, x)
  if (!isFloat(x.dtype)) throw new TypeError(`${op}: needs a floating-point dtype, cast first [${x.dtype}]`)
  if (!holds('float32', x.dtype)) {
    throw new TypeError(`${op}: scales are float32, cast to it first [${x.dtype}]`)
  }
}

function scaleOf(op: string, what: string, scale: Scale): Tensor {
  if (scale instanceof Tensor) {
    if ((scale.dtype as string) !== 'float32' || scale.size !== 1 || scale.rank !== 0) {
      throw new TypeError(
        `${op}: ${what} is not one float32 number [${scale.dtype}, ${scale.shape.join(', ')}]`,
      )
    }
    return scale
  }
  checkNumber(op, what, scale)
  if (!(Math.fround(scale) > 0)) throw new RangeError(`${op}: ${what} is not above 0 [${scale}]`)
  return full([], scale)
}
