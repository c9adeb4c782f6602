import {
  checkArray,
  checkInteger,
  checkName,
  checkOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { foldIn } from '../../tensors/random/index.js'
import { relu, reshape, sizeOf, tanh } from '../../tensors/tensor/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import { type Layer, linear, orthogonal, type Policy, pure, sequential } from '../nn/index.js'
import type { ActorCritic } from './actorCritic.js'

/** Options of `towers`. */
export interface TowersOptions {
  /** Numbers of an observation. */
  readonly inputs: number
  readonly actions: number
  /** Widths of the layers between. Default [64, 64]. */
  readonly hidden?: readonly number[]
  /** Default 'tanh'. */
  readonly activation?: 'tanh' | 'relu'
  /** Where the layers round. Default: float32 throughout. */
  readonly policy?: Policy
}

/** The parameters of `towers`, one list of layers for each tower. */
export interface TowersParameters {
  readonly actor: Treelike
  readonly critic: Treelike
}

const towersNames: OptionTable<TowersOptions> = {
  inputs: 'required',
  actions: 'required',
  hidden: 'optional',
  activation: 'optional',
  policy: 'optional',
}

/**
 * Two networks of the same widths, one for the policy and one for the value, sharing nothing; weights orthogonal times the root
 * of 2, times 0.01 at the policy's head and 1 at the value's; biases 0.
 *
 * Shape     observations [n, ...] of `inputs` numbers to logits [n, actions] and values [n].
 * Dtype     the policy's `output`.
 * Rounding  as `nn.linear` under the policy; activations in its dtype.
 * Throws    RangeError for sizes that are not integers from 1.
 * Source    the details of Huang et al., The 37 implementation details of proximal policy optimization, ICLR blog track 2022
 *
 * @example towers({ inputs: 4, actions: 2 }).apply(towers({ inputs: 4, actions: 2 }).init(random.key(0)), tensor([[0, 0, 0, 0]])).logits.shape // [1,2]
 */
export function towers(options: TowersOptions): ActorCritic<TowersParameters> {
  checkOptions('towers', options, towersNames)
  const { inputs, actions, hidden = [64, 64], activation = 'tanh', policy = {} } = options
  checkInteger('towers', 'inputs', inputs, 1)
  checkInteger('towers', 'actions', actions, 1)
  checkArray('towers', 'hidden', hidden)
  for (const width of hidden) checkInteger('towers', 'a width of hidden', width, 1)
  checkName('towers', 'activation', activation, ['tanh', 'relu'])
  const bent = pure(activation === 'tanh' ? tanh : relu)
  const tower = (outputs: number, gain: number): Layer<Treelike> => {
    const widths = [inputs, ...hidden]
    const inside = [...hidden].flatMap((width, i) => [
      linear({ inputs: widths[i]!, outputs: width, weight: orthogonal({ scale: Math.SQRT2 }), policy }),
      bent,
    ])
    const head = linear({ inputs: widths.at(-1)!, outputs, weight: orthogonal({ scale: gain }), policy })
    return sequential([...inside, head]) as unknown as Layer<Treelike>
  }
  const [actor, critic] = [tower(actions, 0.01), tower(1, 1)]
  return {
    init: (key) => ({ actor: actor.init(foldIn(key, 0)), critic: critic.init(foldIn(key, 1)) }),
    apply(params, observations) {
      const n = observations.shape[0] ?? 0
      const rows = reshape(observations, [n, n === 0 ? inputs : sizeOf(observations.shape) / n])
      return {
        logits: actor.apply(params.actor, rows),
        values: reshape(critic.apply(params.critic, rows), [n]),
      }
    },
  }
}
