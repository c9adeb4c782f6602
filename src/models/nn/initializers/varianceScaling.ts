import {
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import { type Key, normal, truncatedNormal, uniform } from '../../../tensors/random/index.js'
import { mul, type Shape, sizeOf, type Tensor, tensor } from '../../../tensors/tensor/index.js'
import { checkInitialShape, type Initializer } from './initializer.js'

const { fround } = Math
/** Standard deviation of a normal distribution cut at -2 and 2, as JAX has it. */
const truncatedDeviation = fround(0.87962566103423978)

const modes = ['fan-in', 'fan-out', 'fan-avg', 'fan-geo-avg'] as const
const distributions = ['truncated-normal', 'normal', 'uniform'] as const

/** Which axes of a weight are inputs, outputs and batch; all others are the receptive field of a convolution. */
export interface FanOptions {
  /** Default -2. */
  readonly inAxis?: number | readonly number[]
  /** Default -1. */
  readonly outAxis?: number | readonly number[]
  /** Default none. */
  readonly batchAxis?: number | readonly number[]
}

/** Options of `varianceScaling`. */
export interface VarianceScalingOptions extends FanOptions {
  /** The variance times the number of inputs or outputs. */
  readonly scale: number
  /** What the variance is divided by: the number of inputs, of outputs, or their arithmetic or geometric mean. */
  readonly mode: (typeof modes)[number]
  readonly distribution: (typeof distributions)[number]
}

export const fanNames: OptionTable<FanOptions> = {
  inAxis: 'optional',
  outAxis: 'optional',
  batchAxis: 'optional',
}
const scalingNames: OptionTable<VarianceScalingOptions> = {
  scale: 'required',
  mode: 'required',
  distribution: 'required',
  ...fanNames,
}

/**
 * Weights whose variance is `scale` over the number of inputs, outputs, or their mean.
 *
 * Shape     any of two axes or more; of more than two, those not named are the receptive field.
 * Rounding  float32: the variance once, its root, the draw times the root; the bits of jax.nn.initializers.variance_scaling.
 * Throws    RangeError for an unknown mode or distribution, a scale that is not positive, axes that the shape has not.
 * Source    jax 0.10.2
 *
 * @example varianceScaling({ scale: 1, mode: 'fan-in', distribution: 'normal' })(random.key(0), [4, 2]).shape // [4,2]
 */
export function varianceScaling(options: VarianceScalingOptions): Initializer {
  checkOptions('varianceScaling', options, scalingNames, { positional: 'scale' })
  return scaling('varianceScaling', options)
}

/** varianceScaling under the name of the function that was called. */
export function scaling(
  op: string,
  { scale, mode, distribution, ...axes }: VarianceScalingOptions,
): Initializer {
  checkNumber(op, 'scale', scale, Number.MIN_VALUE)
  checkName(op, 'mode', mode, modes)
  checkName(op, 'distribution', distribution, distributions)
  return (key, shape) => {
    checkInitialShape(op, shape)
    const fans = fansOf(op, shape, axes)
    if (sizeOf(shape) === 0) return tensor([], { shape: [...shape] })
    return drawn(key, shape, distribution, fround(scale / denominatorOf(mode, fans)))
  }
}

interface Fans {
  readonly fanIn: number
  readonly fanOut: number
}

function denominatorOf(mode: VarianceScalingOptions['mode'], { fanIn, fanOut }: Fans): number {
  if (mode === 'fan-in') return fanIn
  if (mode === 'fan-out') return fanOut
  return mode === 'fan-avg' ? (fanIn + fanOut) / 2 : Math.sqrt(fanIn * fanOut)
}

function fansOf(op: string, shape: Shape, { inAxis = -2, outAxis = -1, batchAxis = [] }: FanOptions): Fans {
  if (inAxis === -2 && shape.length < 2) {
    throw new RangeError(`${op}: a weight of inputs and outputs has two axes or more [${shape.join(', ')}]`)
  }
  const sizeAlong = (axes: number | readonly number[]): number =>
    [axes].flat().reduce((size: number, axis) => {
      checkInteger(op, 'axis', axis, -shape.length, shape.length - 1)
      return size * shape.at(axis)!
    }, 1)
  const [inputs, outputs, batch] = [sizeAlong(inAxis), sizeAlong(outAxis), sizeAlong(batchAxis)]
  const field = sizeOf(shape) / inputs / outputs / batch
  return { fanIn: inputs * field, fanOut: outputs * field }
}

function drawn(
  key: Key,
  shape: Shape,
  distribution: VarianceScalingOptions['distribution'],
  variance: number,
): Tensor<'float32'> {
  if (distribution === 'uniform') {
    return mul(uniform(key, shape, { minval: -1 }), Math.sqrt(fround(3 * variance)))
  }
  const deviation = fround(Math.sqrt(variance))
  if (distribution === 'normal') return mul(normal(key, shape), deviation)
  return mul(truncatedNormal(key, shape), deviation / truncatedDeviation)
}
