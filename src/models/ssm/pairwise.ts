import {
  cast,
  type FloatDType,
  matmul,
  mul,
  ones,
  sub,
  type Tensor,
  tril,
} from '../../tensors/tensor/index.js'
import { asColumn, asRow } from './axes.js'
import { checkInputs, type SsmInputs, type SsmOptions } from './inputs.js'
import { sumDTypes, sumsOf } from './runningSums.js'
import { scores } from './scores.js'
import { expTo } from './stages.js'

/**
 * A decay for every pair, the triangle cut out before the exponential:
 *   D_ij = A (cs_i - cs_j) for j <= i, else 0,  M_ij = exp(D_ij) (C_i . dt_j B_j) for j <= i, else 0,  y = M x.
 *
 * Shape     x [..., L, P], dt [..., L], A [...], B and C [..., L or 1, N] -> [..., L, P].
 * Dtype     all alike, a float; the result has it too.
 * Rounding  every operation above once; the sums cs as `cumsum` says, differences and D to `dtypes.exponents`.
 * Special   exponents are not positive: no overflow. An x that is not finite reaches earlier positions too. Sums that stall give decays of 1 and no NaN. Above the diagonal
 *           people write -Inf where this has 0: both leave M as it is, and this one has no Inf in it.
 * Cost      L^2 exponentials.
 *
 * @example pairwise({ x: ones([3, 1]), dt: ones([3]), A: tensor(0), B: ones([1, 1]), C: ones([1, 1]) }).toNested() // [[1],[2],[3]]
 */
export function pairwise(inputs: SsmInputs, options: SsmOptions = {}): Tensor {
  checkInputs('pairwise', inputs, options)
  const E = expTo(tril(differences('pairwise', inputs, options)), inputs.x.dtype as FloatDType)
  return product(tril(mul(E, scores(inputs, options))), inputs, options)
}

/**
 * As `pairwise`, with the triangle cut out after the exponential, by multiplication: M = (E (C . dt B)) mask. Wrong, and
 * kept for its gradient: above the diagonal exponents are positive, exp is Inf past 88.72, and Inf 0 is NaN, in M or,
 * where M is finite, in the cotangent 0 E of the exponent.
 *
 * Shape     as `pairwise`. Dtype and Rounding too.
 *
 * @example pairwiseMaskAfter({ x: ones([2, 1]), dt: tensor([0, 100]), A: tensor(-1), B: ones([1, 1]), C: ones([1, 1]) }).toNested() // [[NaN],[100]]
 */
export function pairwiseMaskAfter(inputs: SsmInputs, options: SsmOptions = {}): Tensor {
  const { length } = checkInputs('pairwiseMaskAfter', inputs, options)
  const dtype = inputs.x.dtype as FloatDType
  const E = expTo(differences('pairwiseMaskAfter', inputs, options), dtype)
  const mask = tril(ones([length, length], { dtype }))
  return product(mul(mul(E, scores(inputs, options)), mask), inputs, options)
}

/** A (cs_i - cs_j) for all pairs. */
function differences(op: string, { x, dt, A }: SsmInputs, options: SsmOptions): Tensor {
  const { how, sums, exponents } = sumDTypes(op, x.dtype as FloatDType, options)
  const cs = cast(sumsOf(dt, dt.rank - 1, how, sums), exponents)
  return mul(cast(asColumn(asColumn(A)), exponents), sub(asColumn(cs), asRow(cs)))
}

function product(M: Tensor, { x }: SsmInputs, { accumulate }: SsmOptions): Tensor {
  return matmul(M, x, accumulate ? { accumulate } : {})
}
