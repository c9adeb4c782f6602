import {
  checkInteger,
  checkName,
  checkOptions,
  checkRecord,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import { type FormatName, format as formatOf } from '../../../numbers/formats/index.js'
import {
  cast,
  concat,
  div,
  dtypeFacts,
  full,
  greater,
  isFinite as isFiniteNumber,
  isNaN as isNotANumber,
  logicalAnd,
  max,
  minimum,
  reshape,
  slice,
  Tensor,
  where,
  zeros,
} from '../../../tensors/tensor/index.js'
import { checkFp8 } from './checkFp8.js'

/** How a scale follows the largest magnitudes of the steps before. */
export interface DelayedScaleOptions {
  /** Default 'float8_e4m3fn', as forward passes; 'float8_e5m2' for gradients. */
  readonly format?: FormatName
  /** How many steps are remembered. Default 1024. */
  readonly history?: number
  /** The largest of the history, or the most recent. Default 'max'. */
  readonly algorithm?: 'max' | 'most_recent'
  /** The largest magnitude is scaled to the format's largest value times 2^-margin. Default 0. */
  readonly margin?: number
}

/** What is kept from step to step. */
export interface ScaleState {
  /** What elements are multiplied with before they are cast, a float32 number. */
  readonly scale: Tensor<'float32'>
  /** Largest magnitudes, slot 0 for the step to come, [history]. */
  readonly history: Tensor<'float32'>
}

/** A scale with its history, as values. */
export interface DelayedScale {
  /** The state before the first step: scale 1, a history of zeros. */
  init(): ScaleState
  /** The state for the next step, from the largest magnitude of this one: `max(abs(x))`. */
  update(amax: Tensor | number, state: ScaleState): ScaleState
}

const names: OptionTable<DelayedScaleOptions> = {
  ...{ format: 'optional', history: 'optional' },
  ...{ algorithm: 'optional', margin: 'optional' },
}

/**
 * Delayed scaling: a step is scaled by what the steps before needed, so that its own maximum need not be known first. A
 * magnitude that grows faster than the history is clipped, and one spike shrinks the range for as long as it is remembered.
 *
 * Shape     scale a number, history [history].
 * Dtype     float32.
 * Rounding  scale = (largest value of the format x 2^-margin, once) / largest magnitude, once.
 * Special   NaN in the history is passed over; where the largest magnitude is 0, Inf or NaN the scale stays; one past float32
 *           is the largest float32. init has scale 1.
 * Source    NVIDIA TransformerEngine, pytorch/fp8.py (DelayedScaling)
 *
 * @example delayedScale().update(7, delayedScale().init()).scale.item() // 64
 * @example delayedScale({ history: 0 }) // throws delayedScale: history is not a whole number, 1 or more [0]
 */
export function delayedScale(options: DelayedScaleOptions = noOptions): DelayedScale {
  checkOptions('delayedScale', options, names, { positional: 'format' })
  const { format = 'float8_e4m3fn', history = 1024, algorithm = 'max', margin = 0 } = options
  checkFp8('delayedScale', format)
  checkInteger('delayedScale', 'history', history, 1)
  checkName('delayedScale', 'algorithm', algorithm, ['max', 'most_recent'])
  checkInteger('delayedScale', 'margin', margin, -64, 64)
  const goal = Math.fround(formatOf(format).max * 2 ** -margin)
  return {
    init: () => ({ scale: full([], 1), history: zeros([history]) }),
    update(amax, state) {
      checkRecord('delayedScale', 'state', state, ['scale', 'history'])
      const now = cast(amax instanceof Tensor ? amax : full([], amax), 'float32')
      if (now.size !== 1) {
        throw new RangeError(`delayedScale: amax is not one number [${now.shape.join(', ')}]`)
      }
      const filled = concat([reshape(now, [1]), slice(state.history, [[1, null]])])
      const known = where(isNotANumber(filled), 0, filled)
      const largest = algorithm === 'max' ? max(known) : slice(filled, [0])
      const usable = logicalAnd(isFiniteNumber(largest), greater(largest, 0))
      const scale = minimum(div(full([], goal), where(usable, largest, 1)), largestFloat32)
      // Rolled down by one: what was remembered longest goes into slot 0, which the next step overwrites.
      const rolled = concat([
        zeros([1]),
        slice(filled, [[2, null]]),
        slice(filled, [[0, history === 1 ? 0 : 1]]),
      ])
      return { scale: where(usable, scale, state.scale), history: rolled }
    },
  }
}

const largestFloat32 = dtypeFacts('float32').max
