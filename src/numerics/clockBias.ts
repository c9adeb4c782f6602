import { checkNumber, checkOptions, type OptionTable } from '../base/options/index.js'
import { type DType, full, mul, type Tensor, tanh } from '../tensors/tensor/index.js'
import { checkFloats } from './wide.js'

/** The limit of boundedClockBias. */
export interface ClockBiasOptions {
  /** The largest |correction|. */
  readonly maxDelta: number
}

const clockBiasNames: OptionTable<ClockBiasOptions> = { maxDelta: 'required' }

/**
 * A learned correction of a clock, tanh(raw) maxDelta, that cannot exceed its limit [bounded_clock_bias].
 *
 * Shape     that of raw. Dtype that of raw, a float; maxDelta is rounded to it, and must be finite there and not negative.
 * Rounding  tanh, then the product.
 * Special   |result| <= maxDelta as rounded, always: rounding is monotone. That may lie above the number written, 0.01 is
 *           0.010009765625 in bfloat16. The limit itself is reached, in bfloat16 from |raw| = 3.46875 on, where tanh rounds
 *           to 1 and the gradient to 0. NaN stays NaN.
 * Error     relative 2 u + u^2, of tanh(raw) times the rounded limit.
 *
 * @example boundedClockBias(tensor([-8, 0, 1], { dtype: 'bfloat16' }), { maxDelta: 0.5 }).toNested() // [-0.5,0,0.380859375]
 */
export function boundedClockBias<D extends DType>(raw: Tensor<D>, options: ClockBiasOptions): Tensor<D> {
  checkOptions('boundedClockBias', options, clockBiasNames, { positional: 'maxDelta' })
  const { maxDelta } = options
  checkFloats('boundedClockBias', raw)
  checkNumber('boundedClockBias', 'maxDelta', maxDelta, 0)
  const limit = full([], maxDelta, { dtype: raw.dtype })
  if (!Number.isFinite(limit.item())) {
    throw new RangeError(`boundedClockBias: maxDelta is not finite in ${raw.dtype} [${maxDelta}]`)
  }
  return mul(tanh(raw), limit)
}
