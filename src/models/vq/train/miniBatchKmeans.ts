import { checkOptions, checkRecord, noOptions, type OptionTable } from '../../../base/options/index.js'
import {
  add,
  cast,
  checkFloatDType,
  div,
  expandDims,
  type FloatDType,
  greater,
  mul,
  reshape,
  type Tensor,
  where,
  zeros,
} from '../../../tensors/tensor/index.js'
import { assign } from '../rows/assign.js'
import { codebookOf, matrixOf } from '../rows/rowsOf.js'
import { codeCounts, codeTotals } from './codeSums.js'

/** In what a running mean is kept. */
export interface MiniBatchKmeansOptions {
  /** Default 'float64'. A count in bfloat16 stops at 256. */
  readonly dtype?: FloatDType
}

/** What is kept from batch to batch. */
export interface MiniBatchKmeansState {
  /** [k, d]. */
  readonly centroids: Tensor
  /** How many rows each has got, [k]. */
  readonly counts: Tensor
}

/** k-means of rows that come in batches, as values. */
export interface MiniBatchKmeans {
  /** These centroids, and counts of 0. */
  init(codebook: Tensor): MiniBatchKmeansState
  /** The codes of the batch by the centroids before it, and the state after it. */
  update(x: Tensor, state: MiniBatchKmeansState): [Tensor<'int32'>, MiniBatchKmeansState]
}

const names: OptionTable<MiniBatchKmeansOptions> = { dtype: 'optional' }

/**
 * k-means over batches: every centroid is the mean of all rows it ever got, so early batches weigh as much as late ones.
 *
 * Shape     codebook [k, d], batches [n, d].
 * Dtype     the state has `dtype`; rows are cast to it; codes are those of the real distances.
 * Rounding  sums in the order of the rows; (c n + sum) / (n + m), each operation once.
 * Throws    RangeError for rows of another length.
 * Source    Sculley, doi:10.1145/1772690.1772862; scikit-learn's partial_fit without reassignment
 *
 * @example const means = miniBatchKmeans()
 * const made = means.update(tensor([[1], [3]]), means.init(tensor([[0], [10]])))
 * made[1].centroids.toNested() // [[2], [10]]
 */
export function miniBatchKmeans(options: MiniBatchKmeansOptions = noOptions): MiniBatchKmeans {
  checkOptions('miniBatchKmeans', options, names, { positional: 'dtype' })
  const { dtype = 'float64' } = options
  checkFloatDType('miniBatchKmeans', 'dtype', dtype)
  return {
    init(codebook) {
      const { n: k } = matrixOf('miniBatchKmeans.init', 'codebook', codebook)
      if (k === 0) {
        throw new RangeError(`miniBatchKmeans.init: codebook has no codes [${codebook.shape.join(', ')}]`)
      }
      return { centroids: cast(codebook, dtype), counts: zeros([k], { dtype }) }
    },
    update(x, state) {
      const { n, d } = matrixOf('miniBatchKmeans.update', 'x', x)
      checkRecord('miniBatchKmeans.update', 'state', state, ['centroids', 'counts'])
      const { k } = codebookOf('miniBatchKmeans.update', state.centroids, d)
      const codes = assign(x, state.centroids)
      const flat = reshape(codes, [n])
      const got = codeCounts(flat, k, dtype)
      const counts = add(state.counts, got)
      const held = mul(state.centroids, expandDims(state.counts, 1))
      const moved = div(add(held, codeTotals(cast(x, dtype), flat, k)), expandDims(counts, 1))
      const centroids = where(expandDims(greater(got, 0), 1), moved, state.centroids)
      return [codes, { centroids, counts }]
    },
  }
}
