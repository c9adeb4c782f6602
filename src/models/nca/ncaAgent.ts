import { checkInteger, checkOptions, type OptionTable, shown } from '../../base/options/index.js'
import { foldIn, type Key } from '../../tensors/random/index.js'
import {
  add,
  cast,
  checkFloatDType,
  checkTensor,
  concat,
  type FloatDType,
  matmul,
  mean,
  reshape,
  slice,
  type Tensor,
  wideDType,
  zeros,
} from '../../tensors/tensor/index.js'
import { glorotUniform, orthogonal } from '../nn/index.js'
import { type NcaParams, ncaParams } from './ncaParams.js'
import { ncaRollout } from './ncaRollout.js'

/** Options of `ncaAgent`. */
export interface NcaAgentOptions {
  /** Numbers of a row of an observation. */
  readonly inputs: number
  readonly actions: number
  /** Numbers in a cell. Default 16. */
  readonly channels?: number
  /** Features between the two products of the automaton. Default 32. */
  readonly hidden?: number
  /** Steps of the automaton. Default 8. */
  readonly steps?: number
  /** What is computed with; parameters are float32. Default 'float32'. */
  readonly dtype?: FloatDType
  /** What the cells are kept in. Default 'float32', whatever is computed with. */
  readonly stateDtype?: FloatDType
}

/** The parameters of `ncaAgent`. */
export interface NcaAgentParams {
  /** A row to a cell: weight [inputs, channels], bias [channels]. */
  readonly embed: { readonly weight: Tensor; readonly bias: Tensor }
  readonly automaton: NcaParams
  /** [2 channels, actions] and [actions]; [2 channels, 1] and [1]. */
  readonly policy: { readonly weight: Tensor; readonly bias: Tensor }
  readonly value: { readonly weight: Tensor; readonly bias: Tensor }
}

/** A policy and a value function as one network, as `rl.ppo` takes it. */
export interface NcaAgent {
  /** Fresh parameters, each with draws of its own. */
  init(key: Key): NcaAgentParams
  /** Observations [n, rows, inputs] to logits [n, actions] and values [n], float32; every observation by itself. */
  apply(params: NcaAgentParams, observations: Tensor): { readonly logits: Tensor; readonly values: Tensor }
}

const names: OptionTable<NcaAgentOptions> = {
  inputs: 'required',
  actions: 'required',
  channels: 'optional',
  hidden: 'optional',
  steps: 'optional',
  dtype: 'optional',
  stateDtype: 'optional',
}

/**
 * An automaton along the rows of an observation, a cell each, as policy and value function: rows become cells, the cells run,
 * and the last cell beside the mean of all is what both heads read. In few steps the last cell sees few others; the mean
 * lets all be read.
 *
 * Shape     observations [n, rows, inputs], any number of rows, to logits [n, actions] and values [n].
 * Rounding  parameters and observations to `dtype`; products as those of `ncaStep`, each bias added and rounded again; the steps as
 *           `ncaRollout`; the mean of cells in float32, of the state; heads in float32.
 * Special   the automaton begins as one that does nothing; weights of the policy's head orthogonal times 0.01, of the value's times 1.
 * Throws    TypeError for dtypes that are not of floats; RangeError for observations of other shapes.
 *
 * @example ncaAgent({ inputs: 20, actions: 3 }).init(random.key(0)).policy.weight.shape // [32, 3]
 */
export function ncaAgent(options: NcaAgentOptions): NcaAgent {
  checkOptions('ncaAgent', options, names, { positional: 'inputs' })
  const { inputs, actions, channels = 16, hidden = 32, steps = 8 } = options
  const { dtype = 'float32', stateDtype = 'float32' } = options
  for (const [what, count] of Object.entries({ inputs, actions, channels, hidden })) {
    checkInteger('ncaAgent', what, count, 1)
  }
  checkInteger('ncaAgent', 'steps', steps, 0)
  checkFloatDType('ncaAgent', 'dtype', dtype)
  checkFloatDType('ncaAgent', 'stateDtype', stateDtype)
  const head = (key: Key, outputs: number, scale: number) => ({
    weight: orthogonal({ scale })(key, [2 * channels, outputs]),
    bias: zeros([outputs]),
  })
  return {
    init: (key) => ({
      embed: { weight: glorotUniform()(foldIn(key, 0), [inputs, channels]), bias: zeros([channels]) },
      automaton: ncaParams(foldIn(key, 1), { channels, hidden }),
      policy: head(foldIn(key, 2), actions, 0.01),
      value: head(foldIn(key, 3), 1, 1),
    }),
    apply({ embed, automaton, policy, value }, observations) {
      checkTensor('ncaAgent', observations)
      const [n, rows, width] = observations.shape
      if (observations.rank !== 3 || rows === 0 || width !== inputs) {
        throw new RangeError(
          `ncaAgent: observations are not [n, rows, ${inputs}] [${shown(observations.shape)}]`,
        )
      }
      const seen = reshape(cast(observations, dtype), [n! * rows!, inputs])
      const cells = add(
        matmul(seen, cast(embed.weight, dtype), { accumulate: wideDType(dtype) }),
        cast(embed.bias, dtype),
      )
      const start = cast(reshape(cells, [n!, rows!, channels]), stateDtype)
      const last = cast(ncaRollout(automaton, start, { dimensions: 1, steps, dtype, stateDtype }), 'float32')
      const read = concat([slice(last, [null, -1]), mean(last, { axis: 1 })], { axis: -1 })
      return {
        logits: add(matmul(read, policy.weight), policy.bias),
        values: reshape(add(matmul(read, value.weight), value.bias), [n!]),
      }
    },
  }
}
