import { checkNumber, checkOptions, noOptions, type OptionTable } from '../base/options/index.js'
import {
  type AxisOptions,
  add,
  type DType,
  mean,
  mul,
  rsqrt,
  square,
  sub,
  type Tensor,
} from '../tensors/tensor/index.js'
import { type InternalOptions, inside, internalNames } from './internal.js'

/** Options of layerNorm and rmsNorm. */
export interface NormOptions extends InternalOptions {
  /** One axis or several. Default: the last. */
  readonly axis?: NonNullable<AxisOptions['axis']>
  /** Added under the root, rounded to the dtype first (in float16 1e-8 is 0). */
  readonly eps?: number
}

const normNames: OptionTable<NormOptions> = { ...internalNames, axis: 'optional', eps: 'optional' }

/**
 * (x - mean) / sqrt(variance + eps) without scale and offset: the numerics alone. `kernels.layerNorm` is the kernel with both,
 * `nn.layerNorm` the layer with parameters.
 *
 * Shape     that of x; `axis` default the last.
 * Dtype     that of x, a float.
 * Rounding  op by op: mean, c = x - mean, c c, their mean, + eps, r = 1 / sqrt, c r, each to `internal` (default the dtype
 *           of x), the means added in `accumulate` (default float32); internal 'float32' rounds once, at the end.
 * Special   NaN or Inf along the axis makes all of it NaN; eps (default 1e-5) keeps equal elements at 0.
 *
 * @example layerNorm(tensor([-1, 1, -1, 1]), { eps: 0 }).toNested() // [-1,1,-1,1]
 */
export function layerNorm<D extends DType>(x: Tensor<D>, options: NormOptions = noOptions): Tensor<D> {
  checkOptions('layerNorm', options, normNames, { positional: 'axis' })
  const { axis = -1, eps = 1e-5, ...given } = options
  checkEps('layerNorm', eps)
  return inside('layerNorm', x, given, (v, how) => {
    const over = { ...how, axis, keepDims: true }
    const c = sub(v, mean(v, over))
    return mul(c, rsqrt(add(mean(square(c), over), eps)))
  })
}

/**
 * x / sqrt(mean of x x + eps) without scale: the numerics alone. `kernels.rmsNorm` is the kernel with a scale, `nn.rmsNorm`
 * the layer with parameters.
 *
 * Shape     that of x; `axis` default the last. Dtype that of x, a float.
 * Rounding  op by op: x x, their mean (added in `accumulate`, default float32), + eps, r = 1 / sqrt, x r, each to `internal`
 *           (default the dtype of x).
 * Special   NaN along the axis makes all of it NaN; an Inf makes the finite elements 0 and itself NaN; eps default 1e-6.
 *
 * @example rmsNorm(tensor([3, -3, 3, -3]), { eps: 0 }).toNested() // [1,-1,1,-1]
 */
export function rmsNorm<D extends DType>(x: Tensor<D>, options: NormOptions = noOptions): Tensor<D> {
  checkOptions('rmsNorm', options, normNames, { positional: 'axis' })
  const { axis = -1, eps = 1e-6, ...given } = options
  checkEps('rmsNorm', eps)
  return inside('rmsNorm', x, given, (v, how) => {
    const r = rsqrt(add(mean(square(v), { ...how, axis, keepDims: true }), eps))
    return mul(v, r)
  })
}

function checkEps(op: string, eps: number): void {
  checkNumber(op, 'eps', eps, 0)
}
