import {
  checkName,
  checkNumber,
  checkOptions,
  checkRecord,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import {
  checkFloatDType,
  checkTensor,
  type FloatDType,
  roundingTo,
  sameShape,
  type Tensor,
  tensor,
} from '../../tensors/tensor/index.js'

/** What a rollout leaves to be judged, each [steps, environments]. */
export interface GaeInput {
  readonly rewards: Tensor
  /** The value of the state that each step started in. */
  readonly values: Tensor
  /** The value of the state that each step really led to: where an episode ended its last one, never that of the reset state. */
  readonly nextValues: Tensor
  /** 1 where the episode was over. */
  readonly terminated: Tensor
  /** 1 where it was cut off. */
  readonly truncated: Tensor
}

/** Options of `gae`. */
export interface GaeOptions {
  /** Default 0.99. */
  readonly gamma?: number
  /** Default 0.95. */
  readonly lambda?: number
  /** What everything is rounded to, the constants first. Default: that of the values. */
  readonly dtype?: FloatDType
  /** Whether the value of the state in which an episode was cut off counts, or none does. Default 'bootstrap'. */
  readonly truncation?: 'bootstrap' | 'end'
}

/** Advantages, and returns: the advantages plus the values. */
export interface GaeResult {
  readonly advantages: Tensor
  readonly returns: Tensor
}

const gaeNames: OptionTable<GaeOptions> = {
  gamma: 'optional',
  lambda: 'optional',
  dtype: 'optional',
  truncation: 'optional',
}

const columns = ['rewards', 'values', 'nextValues', 'terminated', 'truncated'] as const

/**
 * Generalised advantage estimates, backwards in time: delta = r + gamma V(next) - V, advantage = delta + gamma lambda times the
 * next advantage, which is left out where the episode ended. gamma 0.999 is 1 in bfloat16.
 *
 * Shape     all [steps, environments].
 * Dtype     `dtype`; nothing of it is differentiable.
 * Rounding  inputs, gamma and gamma lambda (a product in float64) to the dtype; then gamma V, its sum with r, delta, the product
 *           with the next advantage, their sum and the return once each.
 * Special   a state that is both terminated and truncated is terminated.
 * Error     of bfloat16 values up to 100 with rewards of 1: a quarter of the advantage from storing them alone, see docs/rl.md.
 * Throws    TypeError for arguments that are not tensors; RangeError for unlike shapes, gamma and lambda outside of 0 to 1.
 * Source    J. Schulman et al., High-dimensional continuous control using generalized advantage estimation, arXiv:1506.02438
 *
 * @example const one = (x) => tensor([[x]])
 * gae({ rewards: one(1), values: one(2), nextValues: one(4), terminated: one(0), truncated: one(0) }, { gamma: 0.5 }).returns.item() // 3
 */
export function gae(input: GaeInput, options: GaeOptions = noOptions): GaeResult {
  checkRecord('gae', 'the input', input, columns)
  checkOptions('gae', options, gaeNames, { positional: 'gamma' })
  const { gamma = 0.99, lambda = 0.95, truncation = 'bootstrap' } = options
  for (const name of columns) checkTensor(`gae: ${name}`, input[name])
  const { dtype = input.values.dtype } = options
  checkFloatDType('gae', 'dtype', dtype)
  checkNumber('gae', 'gamma', gamma, 0, 1)
  checkNumber('gae', 'lambda', lambda, 0, 1)
  checkName('gae', 'truncation', truncation, ['bootstrap', 'end'])
  const { shape } = input.rewards
  if (shape.length !== 2) {
    throw new RangeError(`gae: rewards are not [steps, environments] [${shape.join(', ')}]`)
  }
  for (const name of columns) {
    if (!sameShape(shape, input[name].shape)) {
      throw new RangeError(`gae: ${name} have another shape than rewards [${input[name].shape.join(', ')}]`)
    }
  }
  const round = roundingTo(dtype as FloatDType)
  const rounded = (x: Tensor): Float64Array => x.toNumbers().map(round)
  const [rewards, values, nextValues] = [input.rewards, input.values, input.nextValues].map(rounded) as Three
  const [terminated, truncated] = [input.terminated.toNumbers(), input.truncated.toNumbers()]
  const [steps, environments] = [shape[0]!, shape[1]!]
  const g = round(gamma)
  const gl = round(gamma * lambda)
  const advantages = new Float64Array(rewards.length)
  const returns = new Float64Array(rewards.length)
  for (let e = 0; e < environments; e++) {
    let last = 0
    for (let t = steps - 1; t >= 0; t--) {
      const i = t * environments + e
      const over = terminated[i] !== 0
      const cut = truncated[i] !== 0
      const worthless = over || (cut && truncation === 'end')
      const target = worthless ? rewards[i]! : round(rewards[i]! + round(g * nextValues[i]!))
      const delta = round(target - values[i]!)
      last = over || cut ? delta : round(delta + round(gl * last))
      advantages[i] = last
      returns[i] = round(last + values[i]!)
    }
  }
  const asTensor = (x: Float64Array): Tensor => tensor(x, { shape: [...shape], dtype: dtype as FloatDType })
  return { advantages: asTensor(advantages), returns: asTensor(returns) }
}

type Three = [Float64Array, Float64Array, Float64Array]
