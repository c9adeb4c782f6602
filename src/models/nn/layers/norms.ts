import { checkFlag, checkInteger, checkOptions, type OptionTable } from '../../../base/options/index.js'
import { cast, type Order, type Tensor } from '../../../tensors/tensor/index.js'
import {
  layerNorm as layerNormKernel,
  type NormKernelOptions,
  type RmsScaling,
  rmsNorm as rmsNormKernel,
  type VarianceMethod,
} from '../../kernels/index.js'
import { initialized } from '../initializers/initializer.js'
import { constant } from '../initializers/plain.js'
import { checkApply, type Layer } from '../layer.js'
import { type FullPolicy, fullPolicy, inPolicy, type PolicyOption } from '../policy.js'
import { freshBias } from './bias.js'
import { checkInput } from './checkInput.js'

/** Options of both norms. */
export interface NormLayerOptions extends PolicyOption {
  /** Elements along the last axis. */
  readonly features: number
  /** Added under the root. Default that of the kernel. */
  readonly eps?: number
  /** The order of the sums. Default 'sequential'. */
  readonly order?: Order
}

/** Options of the layer `layerNorm`. */
export interface LayerNormLayerOptions extends NormLayerOptions {
  /** Default true. */
  readonly bias?: boolean
  /** How the variance is found. Default 'two-pass'. */
  readonly variance?: VarianceMethod
}

/** Options of the layer `rmsNorm`. */
export interface RmsNormLayerOptions extends NormLayerOptions {
  /** When it rounds and what the scale means: fused, as Llama ('cast-first') or as Gemma ('one-plus'). Default 'fused'. */
  readonly scaling?: RmsScaling
}

/** The parameters of a norm: scale [features], bias [features] where there is one. */
export interface NormParameters {
  readonly scale: Tensor
  readonly bias?: Tensor
}

const commonNames = { features: 'required', eps: 'optional', order: 'optional', policy: 'optional' } as const
const layerNames: OptionTable<LayerNormLayerOptions> = {
  ...commonNames,
  bias: 'optional',
  variance: 'optional',
}
const rmsNames: OptionTable<RmsNormLayerOptions> = { ...commonNames, scaling: 'optional' }

/**
 * Layer of `kernels.layerNorm` (not `layerNorm` of numerics, which has no scale) whose scale is initialized to 1, bias to 0.
 *
 * Shape     [..., features] to the same.
 * Rounding  x and parameters to `compute`; every step to `accumulate`; once to `output`.
 *
 * @example layerNorm({ features: 2 }).init(random.key(0)).scale.toNested() // [1,1]
 */
export function layerNorm(options: LayerNormLayerOptions): Layer<NormParameters> {
  checkOptions('layerNorm', options, layerNames, { positional: 'features' })
  const { features, bias = true, policy: given, ...kernel } = options
  checkInteger('layerNorm', 'features', features, 1)
  checkFlag('layerNorm', 'bias', bias)
  const policy = fullPolicy('layerNorm', given)
  return {
    init: (key) => ({
      scale: initialized(constant(1), key, [features], policy.params),
      ...freshBias(bias, key, features, policy),
    }),
    apply(params, x, applied) {
      checkApply('layerNorm', applied)
      checkInput('layerNorm', x, features)
      const shift = params.bias && { bias: rounded(params.bias, policy) }
      return inPolicy(policy, [x], (v) =>
        layerNormKernel(v!, { ...kernel, ...inside(policy), scale: rounded(params.scale, policy), ...shift }),
      )
    },
  }
}

/**
 * Layer of `kernels.rmsNorm` (not `rmsNorm` of numerics, which has no scale) whose scale is initialized to 1, for
 * 'one-plus' to 0.
 *
 * Shape     [..., features] to the same.
 * Rounding  x and the scale to `compute`; every step to `accumulate`; once to `output`, for 'cast-first' before the scale too.
 *
 * @example rmsNorm({ features: 2, eps: 0 }).apply({ scale: ones([2]) }, tensor([3, -3])).toNested() // [1,-1]
 */
export function rmsNorm(options: RmsNormLayerOptions): Layer<NormParameters> {
  checkOptions('rmsNorm', options, rmsNames, { positional: 'features' })
  const { features, policy: given, ...kernel } = options
  checkInteger('rmsNorm', 'features', features, 1)
  const policy = fullPolicy('rmsNorm', given)
  const first = constant(kernel.scaling === 'one-plus' ? 0 : 1)
  return {
    init: (key) => ({ scale: initialized(first, key, [features], policy.params) }),
    apply(params, x, applied) {
      checkApply('rmsNorm', applied)
      checkInput('rmsNorm', x, features)
      return inPolicy(policy, [x], (v) =>
        rmsNormKernel(v!, { ...kernel, ...inside(policy), scale: rounded(params.scale, policy) }),
      )
    },
  }
}

function rounded(parameter: Tensor, { compute, accumulate }: FullPolicy): Tensor {
  return cast(cast(parameter, compute), accumulate)
}

function inside({ accumulate }: FullPolicy): Pick<NormKernelOptions, 'internal'> {
  return { internal: accumulate }
}
