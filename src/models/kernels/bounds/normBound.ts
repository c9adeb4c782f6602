import {
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import type { ErrorBound } from '../../../numerics/index.js'
import { checkFloatDType, dtypeFacts, type FloatDType, wideDType } from '../../../tensors/tensor/index.js'

/** The norm whose error is bounded; names and defaults are those of `layerNorm` and `rmsNorm`. */
export interface NormBoundOptions {
  /** Elements of a row. */
  readonly n: number
  /** Of a layer norm alone. Default 'two-pass'. */
  readonly variance?: 'two-pass' | 'fast' | 'welford'
  /** When an RMS norm rounds, of that alone: 'cast-first' once more. Default 'fused'. */
  readonly scaling?: 'fused' | 'cast-first' | 'one-plus'
  /** Default 1e-5, of 'rms' 1e-6. */
  readonly eps?: number
  /** Dtype of x and of the result. Default 'float32'. */
  readonly dtype?: FloatDType
  /** Dtype of the steps. Default 'float32', 'float64' for float64. */
  readonly internal?: FloatDType
}

/** What the bound needs to know of a row and its parameters. */
export interface NormBoundData {
  /** The largest |x|. */
  readonly largest: number
  /** The exact variance, for 'rms' the mean square, or a lower bound of it. Default 0. */
  readonly spread?: number
  /** The largest |scale|, of 'one-plus' |1 + scale|. Default 1. */
  readonly scale?: number
  /** The largest |bias|. Default 0. */
  readonly bias?: number
}

const names: OptionTable<NormBoundOptions> = {
  ...{ n: 'required', variance: 'optional', scaling: 'optional' },
  ...{ eps: 'optional', dtype: 'optional', internal: 'optional' },
}
const dataNames: OptionTable<NormBoundData> = {
  ...{ largest: 'required', spread: 'optional', scale: 'optional', bias: 'optional' },
}

/**
 * Of every element of a norm, against exact arithmetic on the same x, scale, bias and eps: Higham, Accuracy and Stability, 3.1,
 * term by term.
 */
export function normBound(norm: 'layer' | 'rms', options: NormBoundOptions, data: NormBoundData): ErrorBound {
  checkOptions('errorBound', options, names)
  checkOptions('errorBound', data, dataNames)
  const { n, variance = 'two-pass', scaling = 'fused', dtype = 'float32' } = options
  const { eps = norm === 'rms' ? 1e-6 : 1e-5, internal = wideDType(dtype) } = options
  const { largest, spread = 0, scale = 1, bias = 0 } = data
  checkInteger('errorBound', 'n', n, 1)
  checkName('errorBound', 'variance', variance, ['two-pass', 'fast', 'welford'])
  if (norm === 'rms' && options.variance !== undefined) {
    throw new RangeError(`errorBound: an RMS norm has no variance [${variance}]`)
  }
  if (norm === 'layer' && options.scaling !== undefined) {
    throw new RangeError(`errorBound: a layer norm has no scaling [${scaling}]`)
  }
  checkName('errorBound', 'scaling', scaling, ['fused', 'cast-first', 'one-plus'])
  checkFloatDType('errorBound', 'dtype', dtype)
  checkFloatDType('errorBound', 'internal', internal)
  for (const [name, value] of Object.entries({ eps, largest, spread, scale, bias })) {
    checkNumber('errorBound', name, value, 0)
  }
  const facts = dtypeFacts(internal)
  const u = 2 ** -facts.precision
  const tiny = facts.minPositive / 2
  const under = spread + eps
  const way = norm === 'rms' ? 'two-pass' : variance
  // The mean, off by this; an RMS norm has none.
  const shift =
    norm === 'rms' ? 0 : way === 'welford' ? runningMean(n, u, largest, tiny) : gamma(n, u) * largest + tiny
  const off = varianceOff[way]({ n, u, largest, shift, under })
  const relative = (off + (n + 2) * tiny) / under
  const root = ratio(relative, way) * (1 - gamma(n + 8, u)) ** -0.5
  const growth = (1 + u) ** 5 * root - 1
  // |x - mean| / sqrt(variance + eps) is sqrt(n) at most, whatever the variance is.
  const size = Math.min(Math.sqrt(n), ((norm === 'rms' ? 1 : 2) * largest) / Math.sqrt(under))
  const steps = scale * (growth * size + (shift * (1 + growth)) / Math.sqrt(under)) + 4 * tiny * (1 + scale)
  const inside = steps + (bias > 0 ? u * (scale * size + bias + steps) : 0)
  const result = scale * size + bias
  const overflows =
    n * (largest + 2 * shift) ** 2 * (1 + gamma(n + 4, u)) > facts.max ||
    result + inside > dtypeFacts(dtype).max
  const own = dtypeFacts(dtype)
  const last =
    dtype === internal ? 0 : 2 ** -own.precision * (scaling === 'cast-first' && norm === 'rms' ? 2.01 : 1)
  const total = inside + last * (result + inside) + (last > 0 ? own.minPositive * (1 + scale) : 0)
  const bound = overflows || Number.isNaN(total) ? Infinity : total * (1 + 2 ** -40)
  return {
    bound,
    formula: `scale (G sqrt(n) + E (1 + G) / sqrt(v + eps))${last > 0 ? ' + u |r|' : ''}, E = ${shift.toPrecision(3)}, G = ${growth.toPrecision(3)}`,
    source: 'Higham, Accuracy and Stability, 2nd ed., 3.1, term by term',
  }
}

function gamma(n: number, u: number): number {
  return n * u < 1 ? (n * u) / (1 - n * u) : Infinity
}

/** What is known of a row and its mean where its variance is bounded. */
interface Row {
  readonly n: number
  readonly u: number
  readonly largest: number
  readonly shift: number
  readonly under: number
}

/** What the variance is off, beside its relative roundings. */
const varianceOff = {
  /** The mean's error squared. */
  'two-pass': ({ shift }: Row): number => shift ** 2,
  /** The difference of two large numbers. */
  fast: ({ n, u, largest, shift }: Row): number =>
    (gamma(n + 2, u) + u) * largest ** 2 + 3 * (2 * largest * shift + shift ** 2),
  /**
   * The k-th term (x - m')(x - m), m' and m being the means before and after x, is (k - 1) / k (x - m')^2, and these sum up to
   * n v. With both means off by E it is off by E (|x - m'| + |x - m|) + E^2, so that v is by (1 + sqrt 2) E sqrt(v) + E^2;
   * and sqrt(v) is sqrt(v + eps) at most, of which v + eps is divided once more.
   */
  welford: ({ n, u, shift, under }: Row): number => {
    const g = gamma(n + 4, u)
    return (((1 + Math.SQRT2) * shift * Math.sqrt(under) + shift ** 2) * (1 + g)) / (1 - g)
  },
} as const

/**
 * The error E of a running mean M += (x - M) / k, of x within `largest`: n of it is the sum of k times what step k adds,
 * 2 u |x - M| / k by the difference and the quotient and u |M| by the sum.
 */
function runningMean(n: number, u: number, largest: number, tiny: number): number {
  const step = 2.01 * u
  const adds = ((n + 1) / 2) * (u / (1 - u))
  const left = 1 - step - adds
  return left > 0 ? ((2 * step + adds) * largest + ((n + 1) / 2) * tiny) / left : Infinity
}

/** How far 1 / sqrt(v) may be off, relatively and upwards, where v is off by a share: two passes only enlarge v, the others may lose it. */
function ratio(share: number, way: keyof typeof varianceOff): number {
  if (way === 'two-pass') return Math.sqrt(1 + share)
  return share < 1 ? (1 - share) ** -0.5 : Infinity
}
