import {
  checkName,
  checkNumber,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import {
  add,
  cast,
  checkTensor,
  div,
  isFloat,
  mean,
  sqrt,
  square,
  sub,
  sum,
  type Tensor,
} from '../../tensors/tensor/index.js'

/** Options of `normalizeAdvantages`. */
export interface NormalizeOptions {
  /** What the sum of squares is divided by: n - 1 (torch, Stable-Baselines3, CleanRL) or n (jnp.std, PureJaxRL). Default 'n-1'. */
  readonly by?: 'n-1' | 'n'
  /** Default 1e-8. */
  readonly eps?: number
}

const normalizeNames: OptionTable<NormalizeOptions> = { by: 'optional', eps: 'optional' }

/**
 * Advantages of a minibatch, less their mean, over their standard deviation plus eps.
 *
 * Shape     [n] -> [n].
 * Dtype     that of the advantages.
 * Rounding  in float32, or float64 where they are: the mean, differences, squares, their sum, each once; then once to the dtype.
 * Special   one advantage stays as it is, as in Stable-Baselines3. Equal ones become 0 / eps: 0 where their mean is exact, and
 *           what rounding left of it times 1e8 where it is not.
 * Throws    TypeError if they are not floats.
 *
 * @example normalizeAdvantages(tensor([1, 3]), { by: 'n' }).toNested() // [-1,1]
 */
export function normalizeAdvantages(advantages: Tensor, options: NormalizeOptions = noOptions): Tensor {
  checkTensor('normalizeAdvantages', advantages)
  checkOptions('normalizeAdvantages', options, normalizeNames, { positional: 'by' })
  const { by = 'n-1', eps = 1e-8 } = options
  checkName('normalizeAdvantages', 'by', by, ['n-1', 'n'])
  checkNumber('normalizeAdvantages', 'eps', eps, 0)
  const { dtype, size } = advantages
  if (!isFloat(dtype)) throw new TypeError(`normalizeAdvantages: no floats, cast them [${dtype}]`)
  if (size < 2) return advantages
  const x = dtype === 'float64' ? advantages : cast(advantages, 'float32')
  const centred = sub(x, mean(x))
  const deviation = sqrt(div(sum(square(centred)), by === 'n' ? size : size - 1))
  return cast(div(centred, add(deviation, eps)), dtype)
}
