import {
  apply,
  cast,
  type DTypeFacts,
  dtypeFacts,
  isFloat,
  type KnownOp,
  tensor,
} from '../../../tensors/tensor/index.js'
import { integer } from '../values/attributes.js'
import { type Lowering, single } from '../values/lowering.js'
import { real } from '../values/value.js'

interface Precision {
  readonly exponentBits: number
  readonly mantissaBits: number
}

/**
 * Rounded to a format of so many bits and back: ties to even, infinite beyond its range; zero (with its sign) below its smallest
 * normal number where it has fewer exponent bits, as XLA does.
 */
const reducePrecisionOp: KnownOp<Precision> = {
  name: 'reducePrecision',
  form: 'elementwise',
  rounds: 'once',
  kernel: ([x], precision) =>
    tensor(
      x!.toNumbers().map((value) => reduced(value, precision, dtypeFacts(x!.dtype))),
      { shape: x!.shape, dtype: x!.dtype },
    ),
  gradient: ({ g, attributes }) => [apply(reducePrecisionOp, [g], attributes)],
}

function reduced(
  value: number,
  { exponentBits, mantissaBits }: Precision,
  { minExponent, precision }: DTypeFacts,
): number {
  if (!Number.isFinite(value) || value === 0) return value
  const bias = 2 ** (exponentBits - 1) - 1
  const exponent = Math.max(exponentOf(value), minExponent)
  if (mantissaBits >= precision - 1 && 1 - bias <= minExponent) return value
  const rounded = roundedTo(value, exponent - mantissaBits)
  const size = Math.abs(rounded)
  if (size >= 2 ** (bias + 1)) return Math.sign(value) * Infinity
  return 1 - bias > minExponent && size < 2 ** (1 - bias) ? Math.sign(value) * 0 : rounded
}

function exponentOf(value: number): number {
  const size = Math.abs(value)
  let exponent = Math.max(-1074, Math.floor(Math.log2(size)))
  if (2 ** exponent > size) exponent--
  if (2 ** (exponent + 1) <= size) exponent++
  return exponent
}

/** The nearest multiple of 2^step, ties to even. */
function roundedTo(value: number, step: number): number {
  if (step < -1074) return value
  const unit = 2 ** step
  const quotient = value / unit
  const below = Math.floor(quotient)
  const rest = quotient - below
  const up = rest > 0.5 || (rest === 0.5 && below % 2 !== 0)
  return (up ? below + 1 : below) * unit
}

/** `stablehlo.reduce_precision`. */
export const reducePrecision: Lowering = (op) => {
  const exponentBits = integer(op, 'exponent_bits')
  const mantissaBits = integer(op, 'mantissa_bits')
  return single(([value]) => {
    const x = real(value)
    if (!isFloat(x.dtype)) throw new TypeError(`takes floats [${x.dtype}]`)
    // The two that programs use are formats of ours, whose casts everybody knows.
    if (x.dtype === 'float32' && exponentBits === 8 && mantissaBits === 23) return x
    if (x.dtype === 'float32' && exponentBits === 8 && mantissaBits === 7) {
      return cast(cast(x, 'bfloat16'), 'float32')
    }
    return apply(reducePrecisionOp, [x], { exponentBits, mantissaBits })
  })
}
