import {
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import type { ErrorBound } from '../../../numerics/index.js'
import { checkFloatDType, dtypeFacts, type FloatDType } from '../../../tensors/tensor/index.js'
import type { FlashFormName } from '../attention/plan.js'

/** The attention whose error is bounded; names and defaults are those of `flashAttention`. */
export interface AttentionBoundOptions {
  /** Dtype of the operands and of the output. */
  readonly dtype: FloatDType
  /** Length of a query. */
  readonly d: number
  /** Keys. */
  readonly tk: number
  /** Default 128; `tk` or more for whole rows. */
  readonly blockK?: number
  /** Default 'flash2'. */
  readonly form?: FlashFormName
  readonly probsDtype?: FloatDType
  readonly softCap?: number
  readonly exponent?: 'e' | '2' | '2-unfused'
  readonly accumulate?: 'float32' | 'bfloat16'
}

const boundNames: OptionTable<AttentionBoundOptions> = {
  dtype: 'required',
  d: 'required',
  tk: 'required',
  blockK: 'optional',
  form: 'optional',
  probsDtype: 'optional',
  softCap: 'optional',
  exponent: 'optional',
  accumulate: 'optional',
}

/** What the bound of an attention needs to know of the data: of one output element, or upper bounds of these. */
export interface AttentionBoundData {
  /** The largest scale sum |q k| over the pairs of the row. */
  readonly logitSum: number
  /** sum p |v| with exact probabilities: `attention(q, k, abs(v))`. */
  readonly weighted: number
  /** The largest |v|. Default: that `weighted` has none above 2^20 of it. */
  readonly maxValue?: number
}

const dataNames: OptionTable<AttentionBoundData> = {
  logitSum: 'required',
  weighted: 'required',
  maxValue: 'optional',
}

/** n roundings one after another: gamma_n of Higham, infinite where it says nothing. */
const gamma = (n: number, u: number): number => (n * u < 1 ? (n * u) / (1 - n * u) : Infinity)

export function attentionBound(options: AttentionBoundOptions, data: AttentionBoundData): ErrorBound {
  checkOptions('errorBound', options, boundNames)
  checkOptions('errorBound', data, dataNames)
  const { dtype, d, tk, blockK = 128, form = 'flash2', softCap = Infinity, exponent = 'e' } = options
  const { accumulate = 'float32', probsDtype = form === 'splash' ? 'float32' : dtype } = options
  checkFloatDType('errorBound', 'dtype', dtype)
  checkFloatDType('errorBound', 'probsDtype', probsDtype)
  checkInteger('errorBound', 'd', d)
  checkInteger('errorBound', 'tk', tk)
  checkInteger('errorBound', 'blockK', blockK, 1)
  checkName('errorBound', 'form', form, ['flash2', 'splash', 'pallas', 'bfloat16'])
  const { logitSum, weighted, maxValue = 2 ** 20 * weighted } = data
  checkNumber('errorBound', 'logitSum', logitSum, 0)
  checkNumber('errorBound', 'weighted', weighted, 0)
  checkNumber('errorBound', 'maxValue', maxValue, 0)
  const single = 2 ** -24
  const own = dtypeFacts(dtype)
  const out = 2 ** -own.precision
  const bfloat16 = form === 'bfloat16'
  const u = bfloat16 ? out : single
  const width = Math.min(blockK, tk)
  const blocks = Math.max(1, Math.ceil(tk / blockK))
  // Logits: the dot product, times the scale, which is rounded to float32 itself and to a narrow dtype from there; the cap's
  // three steps, and the cap rounded, of which a capped logit is off by no more than the share of the logit.
  const scaling = bfloat16
    ? gamma(4, u)
    : form === 'splash'
      ? (1 + gamma(2, out)) * (1 + single) - 1
      : gamma(2, u)
  const product = (1 + gamma(d, single)) * (1 + scaling) - 1
  const base2 = exponent === 'e' ? 0 : gamma(4, u)
  const logit = product * logitSum + (Number.isFinite(softCap) ? gamma(6, u) * logitSum : 0)
  const size = Math.min(logitSum, softCap) + logit
  // The exponent: what the logit is off, and the rounding of differences, of which all are at most twice the largest logit.
  const range = 2 * size
  const shift = logit + (u + base2) * range
  const weight = Math.exp(shift) * (1 + u) ** (blocks + 1) - 1
  const row = gamma(width, accumulate === 'bfloat16' ? u : single)
  const steps = form === 'pallas' ? 6 : 4
  const sums = (1 + row) * (1 + gamma(steps * blocks + 4, u)) - 1
  const cast = probsDtype === 'float32' ? 0 : 2 ** -dtypeFacts(probsDtype).precision
  const above = (1 + weight) * (1 + sums) * (1 + cast) * (1 + gamma(width, single))
  const below = (1 - weight) * (1 - sums)
  const relative = weight < 1 && sums < 1 ? above / below - 1 : Infinity
  // Probabilities below the subnormals of float32, or of their dtype, at the largest value.
  const smallest = probsDtype === 'float32' ? 2 ** -149 : dtypeFacts(probsDtype).minPositive
  const lost = (tk + 4 * blocks) * (smallest + 2 ** -149) * (1 + maxValue)
  const before = relative * weighted + lost
  const bound = before + out * (weighted + before) + own.minPositive
  return {
    bound: Number.isNaN(bound) ? Infinity : bound * (1 + 2 ** -40),
    formula: `((1 + w)(1 + g)^2 (1 + c) / ((1 - w)(1 - g)) - 1) V + 2^-${own.precision} |r|, w = exp(e + 2 u S) - 1 of the logits' error e = gamma(d) S, g of ${width} + ${steps} x ${blocks} additions, c = ${cast}, V = sum p |v|, u = 2^${Math.log2(u)}`,
    source:
      'Higham, Accuracy and Stability, 2nd ed., 3.1, for each sum; a factor common to numerator and sum goes: docs/kernels.md',
  }
}
