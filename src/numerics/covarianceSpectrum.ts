import { EigenvalueDecomposition } from 'ml-matrix'
import { add, cast, mul, type Tensor, transpose } from '../tensors/tensor/index.js'
import { toMatrix } from './matrix.js'
import { checkFloats } from './wide.js'

/** The eigenvalues of a covariance matrix and what they say about its rank. */
export interface CovarianceSpectrum {
  /** Descending. */
  readonly eigenvalues: Float64Array
  /** exp of the entropy of the eigenvalues' shares, negative ones counted as 0: 1 for one direction, d for d equal ones. */
  readonly effectiveRank: number
  /** How many exceed a thousandth of the largest. */
  readonly rank: number
  /** How many are below 0: a covariance has none. */
  readonly negative: number
  /** The largest divided by the smallest, the condition number; Infinity where the smallest is not above 0. */
  readonly condition: number
}

/**
 * Eigenvalues of the symmetric part of a matrix, in float64, with the ranks that follow.
 *
 * Shape     c [d, d]. Dtype a float. Special: the zero matrix has effective rank 0.
 * Throws    RangeError for NaN and Inf.
 * Error     eigenvalues within about d 2^-53 of the largest (absolutely): `negative` counts such noise too.
 * Source    Roy, Vetterli, The effective rank, EUSIPCO 2007; decomposition by ml-matrix.
 *
 * @example covarianceSpectrum(tensor([[2, 0], [0, 2]])).effectiveRank // 2
 * @example covarianceSpectrum(tensor([[4, 0], [0, 0.5]])).condition // 8
 * @example Array.from(covarianceSpectrum(tensor([[1, 2], [2, 1]])).eigenvalues, Math.round) // [3,-1]
 */
export function covarianceSpectrum(c: Tensor): CovarianceSpectrum {
  checkFloats('covarianceSpectrum', c)
  const d = c.shape[0] ?? 0
  if (c.rank !== 2 || d !== c.shape[1] || d === 0) {
    throw new RangeError(`covarianceSpectrum: needs a square matrix [${c.shape.join(', ')}]`)
  }
  const wide = cast(c, 'float64')
  const symmetric = mul(add(wide, transpose(wide)), 0.5)
  const odd = symmetric.toNumbers().find((value) => !Number.isFinite(value))
  if (odd !== undefined) throw new RangeError(`covarianceSpectrum: needs finite elements [${odd}]`)
  const found = new EigenvalueDecomposition(toMatrix(symmetric), { assumeSymmetric: true }).realEigenvalues
  const eigenvalues = Float64Array.from(found).sort().reverse()
  const total = eigenvalues.reduce((sum, value) => sum + Math.max(value, 0), 0)
  const shares = eigenvalues.map((value) => value / total).filter((share) => share > 0)
  const entropy = shares.reduce((sum, share) => sum - share * Math.log(share), 0)
  return {
    eigenvalues,
    effectiveRank: total > 0 ? Math.exp(entropy) : 0,
    rank: eigenvalues.filter((value) => value > 1e-3 * eigenvalues[0]!).length,
    negative: eigenvalues.filter((value) => value < 0).length,
    condition: eigenvalues[d - 1]! > 0 ? eigenvalues[0]! / eigenvalues[d - 1]! : Number.POSITIVE_INFINITY,
  }
}
