import { checkName, checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import {
  add,
  cast,
  type FloatDType,
  maximum,
  mean,
  mul,
  type Order,
  rsqrt,
  square,
  sub,
  type Tensor,
} from '../../../tensors/tensor/index.js'
import { type NormKernelOptions, normInside } from './normInside.js'
import { type VarianceMethod, varianceMethods, welford } from './variances.js'

/** How a layer norm is computed, and its parameters. */
export interface LayerNormOptions extends NormKernelOptions {
  /** Added after the scale, one number for each element along the last axis. Default: none. */
  readonly bias?: Tensor
  /**
   * 'two-pass': the mean of squares of x - mean; 'fast': that of x x, minus the square of the mean, 0 at least, and
   * (x - mean) (r scale), as Flax; 'welford': one pass of updates, as Apex and PyTorch. Default 'two-pass'.
   */
  readonly variance?: VarianceMethod
}

const names: OptionTable<LayerNormOptions> = {
  ...{ scale: 'optional', bias: 'optional', variance: 'optional' },
  ...{ eps: 'optional', internal: 'optional', order: 'optional' },
}

/**
 * Kernel: (x - mean) / sqrt(variance + eps) scale + bias along the last axis, in the order of operations of GPU and TPU
 * kernels. `nn.layerNorm` is the layer of it, `layerNorm` of numerics has no scale and bias.
 *
 * Shape     that of x; scale and bias [the last axis of x].
 * Dtype     that of x, a float; scale and bias of x's or of the internal dtype.
 * Rounding  every step to `internal` (default float32): mean, c = x - mean, variance, + eps, r = 1 / sqrt, c r, times scale,
 *           plus bias; once to the dtype of x. With the dtype of x as `internal`: op by op, as numerics' `layerNorm` with it, and two more.
 * Special   NaN or Inf along the axis makes all of it NaN. eps default 1e-5.
 * Error     `errorBound`. 'fast' loses (mean / spread)^2 of its digits.
 * Source    Ba and others, Layer Normalization, arXiv 1607.06450; flax.linen.LayerNorm for 'fast'
 *
 * @example layerNorm(tensor([-1, 1, -1, 1]), { eps: 0, scale: tensor([1, 2, 3, 4]), bias: ones([4]) }).toNested() // [0, 3, -2, 5]
 * @example layerNorm(tensor([4096, 4097]), { variance: 'fast' }).toNested() // [-158.1138916015625, 158.1138916015625]
 */
export function layerNorm<D extends FloatDType>(
  x: Tensor<D>,
  options: LayerNormOptions = noOptions,
): Tensor<D> {
  const { x: v, parameter } = normInside('layerNorm', x, checked(options))
  const { variance: method = 'two-pass', eps = 1e-5, order = 'sequential' } = options
  const scale = parameter('scale', options.scale)
  const bias = parameter('bias', options.bias)
  const { centred, variance } = statistics(v, method, order)
  const r = rsqrt(add(variance, eps))
  const normed = method === 'fast' && scale ? mul(centred, mul(r, scale)) : scaledBy(mul(centred, r), scale)
  return cast(bias ? add(normed, bias) : normed, x.dtype)
}

function checked(options: LayerNormOptions): LayerNormOptions {
  checkOptions('layerNorm', options, names, { positional: 'scale' })
  if (options.variance !== undefined) checkName('layerNorm', 'variance', options.variance, varianceMethods)
  return options
}

function scaledBy(x: Tensor, scale: Tensor | undefined): Tensor {
  return scale ? mul(x, scale) : x
}

function statistics(
  x: Tensor,
  method: VarianceMethod,
  order: Order,
): { readonly centred: Tensor; readonly variance: Tensor } {
  const along = { axis: -1, keepDims: true, order, accumulate: x.dtype as FloatDType }
  switch (method) {
    case 'two-pass': {
      const centred = sub(x, mean(x, along))
      return { centred, variance: mean(square(centred), along) }
    }
    case 'fast': {
      const m = mean(x, along)
      return {
        centred: sub(x, m),
        variance: maximum(sub(mean(square(x), along), square(m)), 0),
      }
    }
    case 'welford': {
      const { mean: m, variance } = welford(x)
      return { centred: sub(x, m), variance }
    }
    default:
      throw new RangeError(`layerNorm: unknown variance [${String(method satisfies never)}]`)
  }
}
