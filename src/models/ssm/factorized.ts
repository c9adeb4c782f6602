import { stopGradient } from '../../tensors/autodiff/index.js'
import {
  add,
  cast,
  type FloatDType,
  greaterEqual,
  matmul,
  max,
  mul,
  neg,
  sub,
  type Tensor,
  tril,
  where,
} from '../../tensors/tensor/index.js'
import { asColumn, flipped } from './axes.js'
import { checkInputs, type SsmInputs, type SsmOptions } from './inputs.js'
import { sumDTypes, sumsOf } from './runningSums.js'
import { expTo } from './stages.js'

/**
 * The decays as a product of two vectors, centred by an offset: no L x L exponential, and the fragile original.
 *   cs = cumsum(dt),  D = A cs,  m = max_t(-D_t),  u = D + m,  w = -D - m,
 *   Ch_i = C_i exp(u_i),  Bh_j = (dt_j B_j) exp(w_j),  y = tril(Ch Bh^T) x.
 * The exponent of Ch_i is |A| (cs_L - cs_i): from 0 to the span |A| (cs_L - cs_1), which m centres but does not shrink.
 *
 * Shape     x [..., L, P], dt [..., L], A [...], B and C [..., L or 1, N] -> [..., L, P].
 * Dtype     all alike, a float; the result has it too.
 * Rounding  every operation above once; the sums cs as `cumsum` says, D, u and w to `dtypes.exponents`, matrix products
 *           summed in `accumulate`.
 * Special   a span past 88.72 overflows exp in bfloat16 and float32: Ch is Inf, S is Inf, and NaN where Bh is 0. The
 *           product with x is whole: an x that is not finite reaches earlier positions too, 0 NaN being NaN. No gradient flows through m, on which the result does not depend.
 * Source    the offset is the usual one of softmax; why it does not help here: docs/step-2750.md
 *
 * @example factorized({ x: ones([3, 1]), dt: ones([3]), A: tensor(0), B: ones([1, 1]), C: ones([1, 1]) }).toNested() // [[1],[2],[3]]
 */
export function factorized(inputs: SsmInputs, options: SsmOptions = {}): Tensor {
  checkInputs('factorized', inputs, options)
  return byFactors('factorized', inputs, options, (u) => u)
}

/**
 * As `factorized`, with u cut at `limit` (default 80) before the exponential: no overflow, and wrong values wherever
 * it cuts, silently, with no gradient to lead back out (that of a cut exponent is 0).
 *
 * Shape     as `factorized`. Dtype and Rounding too; the limit is rounded to the dtype of the exponents.
 * Special   NaN passes.
 * Throws    RangeError for a limit that is not a finite number.
 *
 * @example clamped({ x: ones([2, 1]), dt: tensor([0, 100]), A: tensor(-1), B: ones([1, 1]), C: ones([1, 1]) }).toNested() // [[0],[100]]
 */
export function clamped(inputs: SsmInputs, options: SsmOptions = {}): Tensor {
  checkInputs('clamped', inputs, options)
  const { limit = 80 } = options
  if (!Number.isFinite(limit)) throw new RangeError(`clamped: limit is not a finite number [${limit}]`)
  return byFactors('clamped', inputs, options, (u) => where(greaterEqual(u, limit), limit, u))
}

function byFactors(
  op: string,
  { x, dt, A, B, C }: SsmInputs,
  options: SsmOptions,
  cut: (u: Tensor) => Tensor,
): Tensor {
  const dtype = x.dtype as FloatDType
  const { how, sums, exponents } = sumDTypes(op, dtype, options)
  const product = options.accumulate ? { accumulate: options.accumulate } : {}
  const cs = cast(sumsOf(dt, dt.rank - 1, how, sums), exponents)
  const D = mul(cast(asColumn(A), exponents), cs)
  const negative = neg(D)
  const m = stopGradient(max(negative, { axis: -1, keepDims: true }))
  const u = add(D, m)
  const w = sub(negative, m)
  const Ch = mul(C, asColumn(expTo(cut(u), dtype)))
  const Bh = mul(mul(asColumn(dt), B), asColumn(expTo(w, dtype)))
  return matmul(tril(matmul(Ch, flipped(Bh), product)), x, product)
}
