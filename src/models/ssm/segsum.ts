import {
  broadcastTo,
  cast,
  checkTensor,
  type FloatDType,
  matmul,
  mul,
  type Tensor,
  tril,
} from '../../tensors/tensor/index.js'
import { asColumn } from './axes.js'
import { checkForm, checkInputs, type SsmInputs, type SsmOptions } from './inputs.js'
import { sumDTypes, sumsOf } from './runningSums.js'
import { scores } from './scores.js'
import { expTo } from './stages.js'

/**
 * Sums over every segment: out_ij = a_{j+1} + ... + a_i for j < i, else 0. Each column is summed on its own, so that no
 * large sums are subtracted.
 *
 * Shape     a [..., L] -> [..., L, L]. Dtype that of a, or `dtypes.exponents`.
 * Rounding  every addition as `cumsum` says, down the columns.
 * Source    the segsum of arXiv:2405.21060, listing 1
 *
 * @example segmentSums(tensor([1, 2, 3])).toNested() // [[0,0,0],[2,0,0],[5,3,0]]
 */
export function segmentSums(a: Tensor, options: SsmOptions = {}): Tensor {
  checkTensor('segmentSums', a)
  checkForm('segmentSums', options)
  const { how, sums, exponents } = sumDTypes('segmentSums', a.dtype as FloatDType, options)
  const steps = tril(broadcastTo(asColumn(a), [...a.shape, a.shape.at(-1)!]), { k: -1 })
  return cast(sumsOf(steps, a.rank - 1, how, sums), exponents)
}

/**
 * A decay for every pair from the sum of its own segment:
 *   a = A dt,  D_ij = a_{j+1} + ... + a_i,  M_ij = exp(D_ij) (C_i . dt_j B_j) for j <= i, else 0,  y = M x.
 *
 * Shape     x [..., L, P], dt [..., L], A [...], B and C [..., L or 1, N] -> [..., L, P].
 * Dtype     all alike, a float; the result has it too.
 * Rounding  every operation above once; the sums of segments as `cumsum` says.
 * Special   an x that is not finite reaches earlier positions too. Exponents are not positive: no overflow, and short segments keep their digits however long the sequence is.
 * Cost      L^2 additions and exponentials.
 * Source    Transformers are SSMs, arXiv:2405.21060
 *
 * @example segsum({ x: ones([3, 1]), dt: ones([3]), A: tensor(0), B: ones([1, 1]), C: ones([1, 1]) }).toNested() // [[1],[2],[3]]
 */
export function segsum(inputs: SsmInputs, options: SsmOptions = {}): Tensor {
  checkInputs('segsum', inputs, options)
  const { x, dt, A } = inputs
  const E = expTo(segmentSums(mul(asColumn(A), dt), options), x.dtype as FloatDType)
  const { accumulate } = options
  return matmul(tril(mul(E, scores(inputs, options))), x, accumulate ? { accumulate } : {})
}
