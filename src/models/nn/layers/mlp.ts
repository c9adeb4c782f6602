import {
  checkFlag,
  checkFunction,
  checkInteger,
  checkOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import { foldIn } from '../../../tensors/random/index.js'
import { mul } from '../../../tensors/tensor/index.js'
import type { Initializer } from '../initializers/initializer.js'
import { checkApply, inside, type Layer } from '../layer.js'
import type { PolicyOption } from '../policy.js'
import { type Activation, activationOf } from './activation.js'
import { type LinearParameters, linear } from './linear.js'

/** Options of `mlp`. */
export interface MlpOptions extends PolicyOption {
  /** Features of inputs and outputs. */
  readonly features: number
  /** Features inside. */
  readonly hidden: number
  /** Between the products. Default 'gelu'; 'silu' with `gated` is SwiGLU. */
  readonly activation?: Activation
  /** Whether a third matrix makes what the activation is multiplied by. Default false. */
  readonly gated?: boolean
  /** Default true, false where it is gated. */
  readonly bias?: boolean
  /** Default `lecunNormal()`. */
  readonly weight?: Initializer
}

/** The parameters of `mlp`: `up` (and `gate`) [features, hidden], `down` [hidden, features]. */
export interface MlpParameters {
  readonly up: LinearParameters
  readonly gate?: LinearParameters
  readonly down: LinearParameters
}

const mlpNames: OptionTable<MlpOptions> = {
  features: 'required',
  hidden: 'required',
  activation: 'optional',
  gated: 'optional',
  bias: 'optional',
  weight: 'optional',
  policy: 'optional',
}

/**
 * The feed-forward half of a transformer: down(activation(up(x))), or down(activation(gate(x)) up(x)) where it is gated.
 *
 * Shape     [..., features] to the same.
 * Rounding  that of `linear` for each product; activation and gating once each, to the policy's `output`.
 * Source    gated: N. Shazeer, GLU variants improve transformer, arXiv 2002.05202
 *
 * @example Object.keys(mlp({ features: 4, hidden: 8, activation: 'silu', gated: true }).init(random.key(0))) // up,gate,down
 */
export function mlp(options: MlpOptions): Layer<MlpParameters> {
  checkOptions('mlp', options, mlpNames, { positional: 'features' })
  const { features, hidden, activation = 'gelu', gated = false, bias = !gated, weight, policy } = options
  checkInteger('mlp', 'features', features, 1)
  checkInteger('mlp', 'hidden', hidden, 1)
  checkFlag('mlp', 'gated', gated)
  if (weight !== undefined) checkFunction('mlp', 'weight', weight)
  const how = { bias, ...(weight && { weight }), ...(policy && { policy }) }
  const wide = linear({ inputs: features, outputs: hidden, ...how })
  const narrow = linear({ inputs: hidden, outputs: features, ...how })
  const act = activationOf('mlp', activation)
  return {
    init: (key) => ({
      up: wide.init(foldIn(key, 0)),
      ...(gated && { gate: wide.init(foldIn(key, 2)) }),
      down: narrow.init(foldIn(key, 1)),
    }),
    apply(params, x, applied) {
      const own = checkApply('mlp', applied)
      const up = wide.apply(params.up, x, inside(own, 0))
      if (gated && !params.gate) throw new RangeError('mlp: there are no parameters of the gate [gated true]')
      const hiddens = params.gate ? mul(act(wide.apply(params.gate, x, inside(own, 2))), up) : act(up)
      return narrow.apply(params.down, hiddens, inside(own, 1))
    },
  }
}
