import { checkNumber, checkOptions, type OptionTable } from '../../../base/options/index.js'
import { bernoulli } from '../../../tensors/random/index.js'
import { div, where } from '../../../tensors/tensor/index.js'
import { checkApply, type Layer, type NoParameters } from '../layer.js'

/** Options of `dropout`. */
export interface DropoutOptions {
  /** The share of elements that become 0, from 0 to below 1. */
  readonly rate: number
}

const dropoutNames: OptionTable<DropoutOptions> = { rate: 'required' }

/**
 * Zeros in place of a random share of the elements, the others divided by 1 - rate; without a key the input itself.
 *
 * Shape     that of x, as the dtype.
 * Rounding  the quotient once; 1 - rate is rounded to the dtype first. The mask has the bits of jax.random.bernoulli.
 * Throws    RangeError for a rate outside 0 ... below 1.
 *
 * @example dropout({ rate: 0.5 }).apply({}, tensor([1, 2, 3])).toNested() // [1,2,3]
 * @example dropout({ rate: 0.5 }).apply({}, tensor([1, 2, 3, 4]), { key: random.key(0) }).toNested() // [0,0,6,8]
 */
export function dropout(options: DropoutOptions): Layer<NoParameters> {
  checkOptions('dropout', options, dropoutNames, { positional: 'rate' })
  const { rate } = options
  checkNumber('dropout', 'rate', rate, 0, 1 - 2 ** -53)
  return {
    init: () => ({}),
    apply(_, x, applied) {
      const { key } = checkApply('dropout', applied)
      if (key === undefined || rate === 0) return x
      const kept = bernoulli(key, x.shape, { p: 1 - rate })
      return where(kept, div(x, 1 - rate), 0)
    },
  }
}
