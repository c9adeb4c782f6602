import { type NcaParams, ncaParams, ncaRollout } from '../nca/index.js'
import { type LinearParameters, linear, orthogonal } from '../nn/index.js'
import { checkInteger, checkOptions, type OptionTable } from '../options/index.js'
import { foldIn } from '../random/index.js'
import { cast, checkFloatDType, concat, type FloatDType, mean, reshape, slice } from '../tensor/index.js'
import type { ActorCritic } from './actorCritic.js'

/** Options of `automatonAgent`. */
export interface AutomatonAgentOptions {
  /** Rows of an observation: the cells. */
  readonly window: number
  /** Numbers of a row. */
  readonly features: number
  readonly actions: number
  /** Numbers in a cell. Default 16. */
  readonly channels?: number
  /** Features between the automaton's two products. Default 32. */
  readonly hidden?: number
  /** Steps of the automaton. Default 8. */
  readonly steps?: number
  /** Of everything between the observation and the heads. Default 'float32'. */
  readonly compute?: FloatDType
  /** Of the cells between steps. Default 'float32': a bfloat16 state stands still under small updates. */
  readonly state?: FloatDType
}

/** The parameters of `automatonAgent`. */
export interface AutomatonParameters {
  readonly embed: LinearParameters
  readonly nca: NcaParams
  readonly actor: LinearParameters
  readonly critic: LinearParameters
}

const names: OptionTable<AutomatonAgentOptions> = {
  window: 'required',
  features: 'required',
  actions: 'required',
  channels: 'optional',
  hidden: 'optional',
  steps: 'optional',
  compute: 'optional',
  state: 'optional',
}

/**
 * A neural cellular automaton along a window of rows, as policy and value function: each row is a cell, which at first does
 * nothing; after some steps the newest cell and the mean of all cells are read.
 *
 * Shape     observations [n, window, features] to logits [n, actions] and values [n].
 * Dtype     logits and values float32; parameters float32.
 * Rounding  rows to cells and every step of the automaton as `compute` says, the state as `state`; the heads in float32.
 * Special   T steps see T rows to each side; what is farther apart meets in the mean alone.
 * Throws    RangeError for sizes that are no whole numbers from 1.
 *
 * @example automatonAgent({ window: 60, features: 20, actions: 3 }).init(random.key(0)).nca.w1.shape // [48,32]
 */
export function automatonAgent(options: AutomatonAgentOptions): ActorCritic<AutomatonParameters> {
  checkOptions('automatonAgent', options, names)
  const { window, features, actions, channels = 16, hidden = 32, steps = 8 } = options
  const { compute = 'float32', state = 'float32' } = options
  for (const [name, value] of Object.entries({ window, features, actions, channels, hidden, steps })) {
    checkInteger('automatonAgent', name, value, 1)
  }
  checkFloatDType('automatonAgent', 'compute', compute)
  checkFloatDType('automatonAgent', 'state', state)
  const embed = linear({ inputs: features, outputs: channels, policy: { params: 'float32', compute } })
  const head = (outputs: number, scale: number) =>
    linear({ inputs: 2 * channels, outputs, weight: orthogonal({ scale }) })
  const [actor, critic] = [head(actions, 0.01), head(1, 1)]
  return {
    init: (key) => ({
      embed: embed.init(foldIn(key, 0)),
      nca: ncaParams(foldIn(key, 1), { channels, hidden }),
      actor: actor.init(foldIn(key, 2)),
      critic: critic.init(foldIn(key, 3)),
    }),
    apply(params, observations) {
      const n = observations.shape[0] ?? 0
      const rows = reshape(observations, [n * window, features])
      const cells = cast(reshape(embed.apply(params.embed, rows), [n, window, channels]), state)
      const grown = cast(
        ncaRollout(params.nca, cells, { steps, dimensions: 1, dtype: compute, stateDtype: state }),
        'float32',
      )
      const newest = reshape(slice(grown, [null, [window - 1, window]]), [n, channels])
      const read = concat([newest, mean(grown, { axis: 1 })], { axis: 1 })
      return {
        logits: actor.apply(params.actor, read),
        values: reshape(critic.apply(params.critic, read), [n]),
      }
    },
  }
}
