import { checkInteger, checkOptions, type OptionTable } from '../../../base/options/index.js'
import type { Key } from '../../../tensors/random/index.js'
import { cast, checkTensor, type Tensor, take } from '../../../tensors/tensor/index.js'
import { type Initializer, initialized } from '../initializers/initializer.js'
import { varianceScaling } from '../initializers/varianceScaling.js'
import { checkApply, type Layer } from '../layer.js'
import { fullPolicy, type PolicyOption } from '../policy.js'

/** Options of `embedding`. */
export interface EmbeddingOptions extends PolicyOption {
  /** Rows of the table: tokens, positions, classes. */
  readonly count: number
  /** Numbers in a row. */
  readonly features: number
  /** Default: normal of variance 1 / features, as Flax has it. */
  readonly table?: Initializer
}

/** The parameters of `embedding`: table [count, features]. */
export interface EmbeddingParameters {
  readonly table: Tensor
}

const embeddingNames: OptionTable<EmbeddingOptions> = {
  count: 'required',
  features: 'required',
  table: 'optional',
  policy: 'optional',
}

/**
 * The rows of a table at given positions. As an output layer use the table again: `linear`'s product with its transpose.
 *
 * Shape     int32 or uint32 [...] to [..., features].
 * Rounding  the rows to the policy's `compute`, then to `output`. The gradient adds rows that are read more than once.
 * Throws    TypeError for positions that are no integers; RangeError for positions outside the table.
 *
 * @example embedding({ count: 10, features: 4 }).init(random.key(0)).table.shape // [10,4]
 */
export function embedding(options: EmbeddingOptions): Layer<EmbeddingParameters> {
  checkOptions('embedding', options, embeddingNames, { positional: 'count' })
  const { count, features } = options
  checkInteger('embedding', 'count', count, 1)
  checkInteger('embedding', 'features', features, 1)
  const policy = fullPolicy('embedding', options.policy)
  const table =
    options.table ??
    varianceScaling({ scale: 1, mode: 'fan-in', distribution: 'normal', outAxis: 0, inAxis: -1 })
  return {
    init: (key: Key) => ({ table: initialized(table, key, [count, features], policy.params) }),
    apply(params, x, applied) {
      checkApply('embedding', applied)
      checkTensor('embedding', x)
      if (!isWhole(x)) throw new TypeError(`embedding: positions are not int32 or uint32 [${x.dtype}]`)
      return cast(cast(take(params.table, x, { axis: 0 }), policy.compute), policy.output)
    },
  }
}

function isWhole(x: Tensor): x is Tensor<'int32' | 'uint32'> {
  return x.dtype === 'int32' || x.dtype === 'uint32'
}
