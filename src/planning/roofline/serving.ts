import { checkInteger, checkNumber, checkOptions, type OptionTable } from '../../base/options/index.js'
import {
  bitsOf,
  type PeakDType,
  peakOpsPerSecond,
  type Slice,
  type StoredDType,
  sliceOf,
} from '../hardware/index.js'
import { cacheBytes, type ModelConfig, parameterUse } from '../model/index.js'

/** The sequences that are served together, and in which dtypes. */
export interface ServingOptions {
  readonly slice: string | Slice
  /** Sequences that are decoded together. */
  readonly batch: number
  /** Tokens that each has in the cache, and that its prefill reads. */
  readonly context: number
  /** Of the arithmetic, default bfloat16. */
  readonly dtype?: PeakDType
  /** Of the weights as they are stored, default bfloat16. */
  readonly weightsDtype?: StoredDType
  /** Of keys and values, default bfloat16. */
  readonly cacheDtype?: StoredDType
  /** Share of the peak that a prefill reaches, default 0.4, which the scaling book supposes. */
  readonly prefillEfficiency?: number
}

const names: OptionTable<ServingOptions> = {
  ...{ slice: 'required', batch: 'required', context: 'required', dtype: 'optional' },
  ...{ weightsDtype: 'optional', cacheDtype: 'optional', prefillEfficiency: 'optional' },
}

/** Token generation on a slice, at peak rates by default. */
export interface ServingStep {
  readonly slice: Slice
  /** Reading the caches. */
  readonly cacheSeconds: number
  /** Reading the weights, or multiplying by them: the larger. */
  readonly weightsSeconds: number
  readonly weightsBoundBy: 'compute' | 'hbm'
  /** One token of each sequence, at least. */
  readonly decodeSeconds: number
  readonly tokensPerSecond: number
  readonly tokensPerSecondPerChip: number
  /** Of one sequence of the context's length. */
  readonly prefillSeconds: number
  /** Weights and caches. */
  readonly bytes: number
  readonly fits: boolean
  readonly assumptions: readonly string[]
}

/**
 * A step of generation: B KV / (n HBM) + max(2 B P / (n C), bytes of P / (n HBM)), a lower bound; and the time of a prefill.
 *
 * Shape     none. Dtypes by option. Rounding none.
 * Throws    RangeError for an invalid model, slice or size.
 * Source    the scaling book, part 7.
 *
 * @example servingStep({ family: 'gpt2', D: 768, L: 12 }, { slice: 'v5e-1', batch: 1, context: 1024 }).weightsBoundBy // 'hbm'
 */
export function servingStep(config: ModelConfig, options: ServingOptions): ServingStep {
  const op = 'servingStep'
  checkOptions(op, options, names)
  const { batch, context, dtype = 'bfloat16', weightsDtype = 'bfloat16', cacheDtype = 'bfloat16' } = options
  const { prefillEfficiency = 0.4 } = options
  checkInteger(op, 'batch', batch, 1)
  checkInteger(op, 'context', context, 1)
  checkNumber(op, 'prefillEfficiency', prefillEfficiency, 0, 1)
  const made = sliceOf(op, options.slice)
  const { total, activeMatmul } = parameterUse(config)
  const hbm = made.hbmBytesPerSecond
  const peak = peakOpsPerSecond(made.chip, dtype) * made.chips
  const weights = (total * bitsOf(weightsDtype)) / 8
  const caches = cacheBytes(config, { batch, sequence: context, dtype: cacheDtype })
  const [multiply, read] = [(2 * batch * activeMatmul) / peak, weights / hbm]
  const decodeSeconds = caches / hbm + Math.max(multiply, read)
  return {
    slice: made,
    cacheSeconds: caches / hbm,
    weightsSeconds: Math.max(multiply, read),
    weightsBoundBy: multiply > read ? 'compute' : 'hbm',
    ...{ decodeSeconds, tokensPerSecond: batch / decodeSeconds },
    tokensPerSecondPerChip: batch / decodeSeconds / made.chips,
    prefillSeconds: prefillSeconds(activeMatmul, context, peak, prefillEfficiency),
    bytes: weights + caches,
    fits: weights + caches <= made.programHbmBytes,
    assumptions: [
      'weights and caches are shared evenly by all chips, and no byte between them is counted',
      'every expert is read at every step',
      `a prefill reaches ${(100 * prefillEfficiency).toFixed(0)} % of the peak, products with weights counted`,
      'fits: weights and caches against what programs may use, nothing else counted',
    ],
  }
}

/**
 * Seconds of a prefill: 2 P T over the rate that is reached.
 *
 * @example prefillSeconds(70e9, 8192, 16 * 197e12, 0.4).toFixed(2) // '0.91'
 */
export function prefillSeconds(
  parameters: number,
  tokens: number,
  opsPerSecond: number,
  efficiency: number,
): number {
  for (const [name, value] of Object.entries({ parameters, tokens, opsPerSecond, efficiency })) {
    checkNumber('prefillSeconds', name, value, 0)
  }
  return (2 * parameters * tokens) / (opsPerSecond * efficiency)
}
