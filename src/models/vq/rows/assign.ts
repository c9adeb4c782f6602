import { checkOptions, noOptions, type OptionTable } from '../../../base/options/index.js'
import { apply, argmax, argmin, cast, type KnownOp, reshape, Tensor } from '../../../tensors/tensor/index.js'
import { allDistances, type DistanceOptions, distanceNames, distancing, isExact } from './distances.js'
import { type Metric, nearest, type Vectors } from './nearest.js'
import { checkFinite, codebookOf, rowsOf } from './rowsOf.js'

/** Which code is best, and where the comparison rounds. */
export type AssignOptions = DistanceOptions

export const assignNames: OptionTable<AssignOptions> = distanceNames

/** The best code of each row in float64. */
const assignOp: KnownOp<Metric> = {
  name: 'assign',
  form: 'whole',
  rounds: 'decides',
  kernel: ([x, codebook], metric) => {
    const { codes } = nearest(
      vectorsOf('assign', 'x', x!),
      vectorsOf('assign', 'codebook', codebook!),
      metric,
    )
    return new Tensor('int32', x!.shape.slice(0, -1), codes)
  },
  gradient: () => [],
}

/** The vectors of a tensor in float64; an error where one is not finite. */
export function vectorsOf(op: string, what: string, x: Tensor): Vectors {
  const { n, d } = rowsOf(op, what, x)
  const values = x.toNumbers()
  checkFinite(op, what, values, d)
  return { values, n, d }
}

/**
 * The code of every vector: the first of the best. Without options that of the real distances, as float64 sees them; with a
 * dtype or a form that of `distances` so written, which may be another.
 *
 * Shape     x [..., d], codebook [k, d] -> [...]; no rows give no codes.
 * Dtype     any floats, of both their values as they are; int32 out, without a gradient.
 * Rounding  in float64: differences, squares and a running sum, ascending; else as `distances`.
 * Special   the least distance, the greatest product, the greatest cosine; -0 is 0; a vector of zeros has no direction and gets
 *           code 0 by cosine; differences below 2^-537 have squares of 0. In a dtype whose distances overflow the first NaN wins, as in argmin.
 * Throws    RangeError for a NaN or an infinity among the numbers, and for a codebook of other vectors or of none.
 * Cost      2 n k d operations; of 6 numbers and more a matrix product in float32 leaves the codes that float64 then compares.
 *
 * @example assign(tensor([[0.2], [0.9]]), tensor([[0], [1]])).toNested() // [0, 1]
 * @example assign(tensor([[1, 1]]), tensor([[1, 0], [3, 2]]), { metric: 'dot' }).toNested() // [1]
 * @example assign(tensor([[1]]), tensor([[1, 0]])) // throws assign: vectors of 1 numbers, a codebook of others [1, 2]
 */
export function assign(x: Tensor, codebook: Tensor, options: AssignOptions = noOptions): Tensor<'int32'> {
  const { lead, d } = rowsOf('assign', 'x', x)
  codebookOf('assign', codebook, d)
  checkOptions('assign', options, assignNames, { positional: 'metric' })
  const how = distancing('assign', options)
  if (isExact(how)) return apply(assignOp, [x, codebook], how.metric) as Tensor<'int32'>
  const scores = allDistances(x, codebook, how)
  if (scores.shape[0] === 0) return new Tensor('int32', lead, new Int32Array(0))
  const best = how.metric === 'euclidean' ? argmin(scores, { axis: 1 }) : argmax(scores, { axis: 1 })
  return reshape(cast(best, 'int32'), lead)
}
