import {
  checkFlag,
  checkInteger,
  checkName,
  checkOptions,
  checkRecord,
  type OptionTable,
  shown,
} from '../../../base/options/index.js'
import { foldIn } from '../../../tensors/random/index.js'
import { type FloatDType, reshape, sizeOf, type Tensor, transpose } from '../../../tensors/tensor/index.js'
import {
  applyRope,
  type FlashOptions,
  flashAttention,
  type Mask,
  type RopeFrequencies,
  ropeCache,
  attention as wholeAttention,
} from '../../kernels/index.js'
import type { Initializer } from '../initializers/initializer.js'
import { checkApply, inside, type Layer } from '../layer.js'
import { fullPolicy, type PolicyOption } from '../policy.js'
import { checkInput } from './checkInput.js'
import { type LinearParameters, linear } from './linear.js'

/** Options of the layer `attention`. */
export interface AttentionLayerOptions extends PolicyOption {
  /** Features of inputs and outputs. */
  readonly features: number
  /** Query heads. */
  readonly heads: number
  /** Heads of keys and values: `heads` (the default) is multi-head, 1 multi-query, anything between grouped. */
  readonly kvHeads?: number
  /** Features of a head. Default features / heads. */
  readonly headFeatures?: number
  /** Which pairs attend: `kernels.causalMask()`, a window, ... Default: all. */
  readonly mask?: Mask
  /** Frequencies that turn queries and keys by their position. Default: no positions. */
  readonly rope?: RopeFrequencies
  /** Which elements turn together. Default 'half'. */
  readonly layout?: 'half' | 'interleaved'
  /** 'flash' by blocks, 'whole' row by row. Default 'flash', 'whole' where `compute` is float64. */
  readonly kernel?: 'flash' | 'whole'
  /** How `flashAttention` computes, of that kernel alone. Default: its own defaults. */
  readonly flash?: Omit<FlashOptions, 'mask'>
  /** Whether the four products have biases. Default false. */
  readonly bias?: boolean
  /** Default `lecunNormal()`. */
  readonly weight?: Initializer
}

/** The parameters of `attention`: four products. */
export interface AttentionParameters {
  readonly query: LinearParameters
  readonly key: LinearParameters
  readonly value: LinearParameters
  readonly out: LinearParameters
}

const attentionNames: OptionTable<AttentionLayerOptions> = {
  ...{ features: 'required', heads: 'required', kvHeads: 'optional', headFeatures: 'optional' },
  ...{ mask: 'optional', rope: 'optional', layout: 'optional', kernel: 'optional', flash: 'optional' },
  ...{ bias: 'optional', weight: 'optional', policy: 'optional' },
}

/**
 * Attention layer with parameters (`kernels.attention` is the bare function): projections to queries, keys and values, heads
 * that may share keys and values, RoPE, an output projection.
 *
 * Shape     [..., T, features] to the same.
 * Rounding  products as `linear`; queries, keys and values in `compute`, turned and attended as `applyRope` and
 *           `flashAttention` (or `attention`) say.
 * Throws    RangeError for heads that do not divide the features or are no multiple of kvHeads.
 *
 * @example attention({ features: 8, heads: 4, kvHeads: 2 }).init(random.key(0)).key.weight.shape // [8,4]
 */
export function attention(options: AttentionLayerOptions): Layer<AttentionParameters> {
  const { features, heads, kvHeads, size } = checked(options)
  const { rope, layout = 'half', mask, flash, bias = false, weight } = options
  const policy = fullPolicy('attention', options.policy)
  const { kernel = policy.compute === 'float64' ? 'whole' : 'flash' } = options
  if (kernel === 'whole' && flash !== undefined) {
    throw new RangeError(`attention: kernel whole takes no flash [${shown(flash)}]`)
  }
  const { unit, input } = policy
  if (unit !== undefined && kernel === 'whole') {
    throw new RangeError(`attention: kernel whole has no unit [${shown(unit)}]`)
  }
  const byUnit = { ...(unit !== undefined && { unit }), ...(input !== undefined && { input }) }
  const how = { bias, ...(weight && { weight }) }
  const projection = { ...how, policy: { ...policy, output: policy.compute } }
  const queries = linear({ inputs: features, outputs: heads * size, ...projection })
  const keys = linear({ inputs: features, outputs: kvHeads * size, ...projection })
  const back = linear({ inputs: heads * size, outputs: features, ...how, policy })
  const masked = mask === undefined ? {} : { mask }
  const attend = (q: Operand, k: Operand, v: Operand): Tensor =>
    kernel === 'flash'
      ? flashAttention(q, k, v, { ...byUnit, ...flash, ...masked }).out
      : wholeAttention(q, k, v, masked).out

  return {
    init: (key) => ({
      query: queries.init(foldIn(key, 0)),
      key: keys.init(foldIn(key, 1)),
      value: keys.init(foldIn(key, 2)),
      out: back.init(foldIn(key, 3)),
    }),
    apply(params, x, applied) {
      const own = checkApply('attention', applied)
      checkInput('attention', x, features, 2)
      const length = x.shape.at(-2)!
      const rows = reshape(x, [sizeOf(x.shape.slice(0, -2)), length, features])
      const byHead = (values: Tensor, count: number): Operand =>
        transpose(reshape(values, [rows.shape[0]!, length, count, size]), [0, 2, 1, 3]) as Operand
      const cache =
        rope &&
        ropeCache(
          rope,
          Array.from({ length }, (_, position) => position),
        )
      const turned = (values: Operand): Operand => (cache ? applyRope(values, cache, { layout }) : values)
      const q = turned(byHead(queries.apply(params.query, rows, inside(own, 0)), heads))
      const k = turned(byHead(keys.apply(params.key, rows, inside(own, 1)), kvHeads))
      const out = attend(q, k, byHead(keys.apply(params.value, rows, inside(own, 2)), kvHeads))
      const together = reshape(transpose(out, [0, 2, 1, 3]), [rows.shape[0]!, length, heads * size])
      return reshape(back.apply(params.out, together, inside(own, 3)), x.shape)
    },
  }
}

type Operand = Tensor<FloatDType>

function checked(options: AttentionLayerOptions) {
  checkOptions('attention', options, attentionNames, { positional: 'features' })
  const { features, heads, kvHeads = heads, headFeatures = features / heads } = options
  checkInteger('attention', 'features', features, 1)
  checkInteger('attention', 'heads', heads, 1)
  checkInteger('attention', 'kvHeads', kvHeads, 1)
  if (options.headFeatures === undefined && features % heads !== 0) {
    throw new RangeError(`attention: heads do not divide the features [features ${features}, heads ${heads}]`)
  }
  checkInteger('attention', 'headFeatures', headFeatures, 1)
  if (heads % kvHeads !== 0) {
    throw new RangeError(`attention: kvHeads do not divide the heads [heads ${heads}, kvHeads ${kvHeads}]`)
  }
  checkName('attention', 'kernel', options.kernel ?? 'flash', ['flash', 'whole'])
  checkFlag('attention', 'bias', options.bias ?? false)
  if (options.rope) checkRecord('attention', 'rope', options.rope, ['values'])
  if (options.rope && options.rope.values.size * 2 !== headFeatures) {
    throw new RangeError(
      `attention: rope has not half as many frequencies as a head has features [${options.rope.values.size} and ${headFeatures}]`,
    )
  }
  return { features, heads, kvHeads, size: headFeatures }
}
