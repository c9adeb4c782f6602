import {
  checkFlag,
  checkFunction,
  checkInteger,
  checkOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import { foldIn, type Key } from '../../../tensors/random/index.js'
import { reshape, sizeOf, type Tensor } from '../../../tensors/tensor/index.js'
import { type Initializer, initialized } from '../initializers/initializer.js'
import { lecunNormal } from '../initializers/named.js'
import { checkApply, type Layer } from '../layer.js'
import { fullPolicy, type PolicyOption, product } from '../policy.js'
import { freshBias, shifted } from './bias.js'
import { checkInput } from './checkInput.js'

/** Options of `linear`. */
export interface LinearOptions extends PolicyOption {
  /** Features of an input. */
  readonly inputs: number
  /** Features of an output. */
  readonly outputs: number
  /** Default true. */
  readonly bias?: boolean
  /** Default `lecunNormal()`. */
  readonly weight?: Initializer
}

/** The parameters of `linear`: weight [inputs, outputs], bias [outputs] where there is one. */
export interface LinearParameters {
  readonly weight: Tensor
  readonly bias?: Tensor
}

const linearNames: OptionTable<LinearOptions> = {
  inputs: 'required',
  outputs: 'required',
  bias: 'optional',
  weight: 'optional',
  policy: 'optional',
}

/**
 * Layer x W + b along the last axis; `linear` of sweep is a range of values.
 *
 * Shape     [..., inputs] to [..., outputs]; weight [inputs, outputs], bias [outputs].
 * Dtype     the policy's.
 * Rounding  x and W to `compute`; products summed in `accumulate` one after the other and rounded once to `output`; b to
 *           `output`, added and rounded again. With a `recipe` the products as `kernels.quantizedMatmul`, forward and back.
 * Throws    RangeError for sizes that are not integers from 1, and an input of other features.
 *
 * @example linear({ inputs: 3, outputs: 2 }).init(random.key(0)).weight.shape // [3,2]
 */
export function linear(options: LinearOptions): Layer<LinearParameters> {
  checkOptions('linear', options, linearNames, { positional: 'inputs' })
  const { inputs, outputs, bias = true, weight = lecunNormal() } = options
  checkInteger('linear', 'inputs', inputs, 1)
  checkInteger('linear', 'outputs', outputs, 1)
  checkFlag('linear', 'bias', bias)
  checkFunction('linear', 'weight', weight)
  const policy = fullPolicy('linear', options.policy)
  return {
    init: (key: Key) => ({
      weight: initialized(weight, foldIn(key, 0), [inputs, outputs], policy.params),
      ...freshBias(bias, key, outputs, policy),
    }),
    apply(params, x, applied) {
      const { key } = checkApply('linear', applied)
      checkInput('linear', x, inputs)
      const rows = reshape(x, [sizeOf(x.shape.slice(0, -1)), inputs])
      const sums = product(rows, params.weight, policy, key)
      return reshape(shifted(sums, params.bias, policy), [...x.shape.slice(0, -1), outputs])
    },
  }
}
