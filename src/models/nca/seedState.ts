import { checkArray, checkInteger, checkOptions, type OptionTable } from '../../base/options/index.js'
import {
  checkFloatDType,
  type FloatDType,
  type Shape,
  sizeOf,
  type Tensor,
  tensor,
} from '../../tensors/tensor/index.js'

/** Options of `seedState`. */
export interface SeedStateOptions {
  /** Of the cells: one length, or two. */
  readonly shape: Shape
  readonly channels: number
  /** The first channel that is 1, and all after it. Default 3: all but red, green and blue. */
  readonly from?: number
  /** Default 'float32'. */
  readonly dtype?: FloatDType
}

const names: OptionTable<SeedStateOptions> = {
  shape: 'required',
  channels: 'required',
  from: 'optional',
  dtype: 'optional',
}

/**
 * One living cell in the middle, among nothing: what a shape grows from.
 *
 * Shape     [...shape, channels]. The middle of an even number of cells is the one after it.
 *
 * @example seedState({ shape: [3], channels: 4 }).toNested() // [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
 */
export function seedState(options: SeedStateOptions): Tensor {
  checkOptions('seedState', options, names, { positional: 'shape' })
  const { shape, channels, from = 3, dtype = 'float32' } = options
  checkArray('seedState', 'shape', shape)
  if (shape.length < 1 || shape.length > 2) {
    throw new RangeError(`seedState: shape is not one length or two [${shape.join(', ')}]`)
  }
  for (const length of shape) checkInteger('seedState', 'a length', length, 1)
  checkInteger('seedState', 'channels', channels, 1)
  checkInteger('seedState', 'from', from, 0, channels)
  checkFloatDType('seedState', 'dtype', dtype)
  if (sizeOf(shape) * channels > 2 ** 32) {
    throw new RangeError(`seedState: more than ${2 ** 32} numbers [${shape.join(', ')} of ${channels}]`)
  }
  const cells = sizeOf(shape)
  const middle = shape.reduce((at, length) => at * length + Math.floor(length / 2), 0)
  const values = new Float64Array(cells * channels)
  values.fill(1, middle * channels + from, (middle + 1) * channels)
  return tensor(values, { shape: [...shape, channels], dtype })
}
