import { checkName, checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import {
  add,
  cast,
  type FloatDType,
  mean,
  mul,
  rsqrt,
  square,
  type Tensor,
} from '../../../tensors/tensor/index.js'
import { type NormKernelOptions, normInside } from './normInside.js'

/** When an RMS norm rounds, and what its scale means. */
export type RmsScaling = 'fused' | 'cast-first' | 'one-plus'

/** How an RMS norm is computed, and its scale. */
export interface RmsNormOptions extends NormKernelOptions {
  /**
   * 'fused': times scale, then rounded once; 'cast-first': rounded, then times scale in the dtype of x, as Llama and T5X;
   * 'one-plus': times 1 + scale, then rounded once, as Gemma. Default 'fused'.
   */
  readonly scaling?: RmsScaling
}

const names: OptionTable<RmsNormOptions> = {
  ...{ scale: 'optional', scaling: 'optional' },
  ...{ eps: 'optional', internal: 'optional', order: 'optional' },
}

/**
 * Kernel: x / sqrt(mean of x x + eps) scale along the last axis, in the order of operations of GPU and TPU kernels.
 * `nn.rmsNorm` is the layer of it, `rmsNorm` of numerics has no scale.
 *
 * Shape     that of x; scale [the last axis of x].
 * Dtype     that of x, a float; scale of x's or of the internal dtype.
 * Rounding  every step to `internal` (default float32): x x, their mean, + eps, r = 1 / sqrt, x r, times scale; once to the
 *           dtype of x, for 'cast-first' before the scale and after it.
 * Special   NaN along the axis makes all of it NaN. eps default 1e-6.
 * Error     `errorBound`. 'cast-first' adds a rounding: a quarter of bfloat16 results change.
 * Source    Zhang, Sennrich, Root Mean Square Layer Normalization, arXiv 1910.07467
 *
 * @example rmsNorm(tensor([3, -3]), { eps: 0, scale: tensor([1, 2]) }).toNested() // [1, -2]
 * @example rmsNorm(tensor([3, -3]), { eps: 0, scale: tensor([0, 1]), scaling: 'one-plus' }).toNested() // [1, -2]
 */
export function rmsNorm<D extends FloatDType>(x: Tensor<D>, options: RmsNormOptions = noOptions): Tensor<D> {
  const { x: v, parameter } = normInside('rmsNorm', x, checked(options))
  const { scaling = 'fused', eps = 1e-6, order = 'sequential' } = options
  const scale = parameter('scale', options.scale)
  const along = { axis: -1, keepDims: true, order, accumulate: v.dtype as FloatDType }
  const y = mul(v, rsqrt(add(mean(square(v), along), eps)))
  if (!scale) return cast(y, x.dtype)
  if (scaling === 'cast-first') return mul(cast(y, x.dtype), cast(scale, x.dtype))
  return cast(mul(y, scaling === 'one-plus' ? add(scale, 1) : scale), x.dtype)
}

function checked(options: RmsNormOptions): RmsNormOptions {
  checkOptions('rmsNorm', options, names, { positional: 'scale' })
  if (options.scaling !== undefined) {
    checkName('rmsNorm', 'scaling', options.scaling, ['fused', 'cast-first', 'one-plus'])
  }
  return options
}
