import { checkInteger, checkOptions, type OptionTable } from '../../base/options/index.js'
import { type PeakDType, type Slice, type StoredDType, sliceOf } from '../hardware/index.js'
import type { MemoryEstimate, ModelConfig, Split } from '../model/index.js'
import type { ServedRun } from './publishedServing.js'
import { type ReachedShare, reachedShares } from './reachedShares.js'
import { servingBound } from './servingBound.js'
import { type DecodePlan, type PrefillPlan, type ServingRates, servingRates } from './servingRates.js'
import type { ServingWork } from './servingWork.js'
import { type SpeculativeOptions, speculativeTokens } from './speculative.js'

/** The requests, and how they are served. */
export interface ServingPlanOptions {
  readonly slice: string | Slice
  /** Requests that are decoded together. */
  readonly batch: number
  /** Tokens of a prompt and of an answer. */
  readonly input: number
  readonly output: number
  /** Default: tensor as far as it divides the heads, data the rest. */
  readonly split?: Split
  /** Of products, default bfloat16. */
  readonly dtype?: PeakDType
  /** Of the weights as they are stored, default as the products. */
  readonly weightsDtype?: StoredDType
  /** Of keys and values, default bfloat16. */
  readonly cacheDtype?: StoredDType
  /**
   * Tokens of a chunk of a prompt, which is computed in the same step as the tokens that are decoded (chunked prefill); default
   * none: prompts are computed whole, between the steps.
   */
  readonly chunk?: number
  readonly speculative?: SpeculativeOptions
}

const names: OptionTable<ServingPlanOptions> = {
  ...{ slice: 'required', batch: 'required', input: 'required', output: 'required', split: 'optional' },
  ...{ dtype: 'optional', weightsDtype: 'optional', cacheDtype: 'optional', chunk: 'optional' },
  speculative: 'optional',
}

/** Serving on a slice: time to the first token, time between tokens, tokens a second. */
export interface ServingPlan {
  readonly slice: Slice
  /** With every request at its full length. */
  readonly memory: MemoryEstimate
  /** Requests that are served at once: as many as asked for, or as fit with half of their answers. */
  readonly atOnce: number
  readonly prefill: PrefillPlan
  readonly decode: DecodePlan
  /** Generated tokens a second that no server exceeds on this slice, however it schedules. */
  readonly tokensPerSecondBound: number
  /** Generated tokens a second at peak rates with the prefill as asked. */
  readonly tokensPerSecondAtPeak: number
  /** What servers with published figures reached of the figure at peak rates on this chip, with weights of as many bits; null where there is none. */
  readonly reached: ReachedShare | null
  /** The figure at peak rates times the least and the largest of these shares; null where there is none: then there is a bound and no estimate. */
  readonly tokensPerSecondEstimate: readonly [least: number, most: number] | null
  readonly kind: 'estimate' | 'bound'
  readonly assumptions: readonly string[]
}

/**
 * Plans serving: prompts of `input` tokens, answers of `output`, `batch` requests at once. A bound that no server exceeds; the time
 * at peak rates, prefill and decode apart or together in chunks; and the range that published servers reached of it.
 *
 * Shape     none. Dtypes by option. Rounding none.
 * Throws    RangeError for an invalid model, slice, split or size.
 * Error     the estimate: a range, see `reached`; the bound: above all published figures.
 * Source    the scaling book, part 7, for the terms of a step of decoding.
 *
 * @example servingPlan({ family: 'gpt2', D: 768, L: 12 }, { slice: 'v5e-1', batch: 8, input: 512, output: 512 }).decode.boundBy // 'hbm'
 */
export function servingPlan(config: ModelConfig, options: ServingPlanOptions): ServingPlan {
  const op = 'servingPlan'
  checkOptions(op, options, names)
  const { batch, input, output, dtype = 'bfloat16', cacheDtype = 'bfloat16', chunk = 1 } = options
  const { weightsDtype = dtype } = options
  for (const [name, value] of Object.entries({ batch, input, output, chunk })) {
    checkInteger(op, name, value, 1)
  }
  const made = sliceOf(op, options.slice)
  const work: ServingWork = { config, made, batch, input, output, dtype, weightsDtype, cacheDtype }
  const { speculative } = options
  const tokens = speculative === undefined ? 1 : speculativeTokens(speculative)
  const rates = servingRates(op, work, options)
  // No published run in the table drafts tokens.
  const reached = speculative === undefined ? reachedShares(made.chip.name, weightsDtype) : null
  return {
    ...{ slice: made, ...rates, reached },
    tokensPerSecondBound: servingBound(work, tokens, speculative?.tokens),
    tokensPerSecondEstimate:
      reached === null
        ? null
        : [rates.tokensPerSecondAtPeak * reached.least, rates.tokensPerSecondAtPeak * reached.most],
    kind: reached === null ? 'bound' : 'estimate',
    assumptions: assumptionsOf(work, rates, reached, options),
  }
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`

const serversOf = (runs: readonly ServedRun[]): string =>
  [...new Set(runs.map(({ server }) => server))].join(', ')

function assumptionsOf(
  work: ServingWork,
  { memory, atOnce }: ServingRates,
  reached: ReachedShare | null,
  options: ServingPlanOptions,
): string[] {
  const { made, weightsDtype, batch } = work
  return [
    reached === null
      ? `no published figure of serving with ${weightsDtype} weights${options.speculative === undefined ? '' : ' and speculative decoding'} on ${made.chip.name} has all that a comparison needs: a bound, no estimate`
      : `${reached.runs.length} published runs on ${made.chip.name} (${serversOf(reached.runs)}) reached ${percent(reached.least)} to ${percent(reached.most)} of the figure at peak rates: the estimate is that range`,
    ...(atOnce < batch
      ? [`${batch} requests do not fit: ${atOnce} are served at once, the others wait`]
      : []),
    'the bound takes the best rate that any source gives, reads of experts the fewest, and overlaps everything',
    'a step of decoding at peak rates: the larger of compute and of reading weights and caches, then the all-reduces of tensor parallelism, 1 us a hop',
    'requests have the lengths given and are always as many; experts are chosen evenly; sampling, scheduling and the host take no time',
    ...(options.chunk === undefined
      ? ['prompts are computed whole, between the steps of decoding']
      : ['chunks of prompts are computed in the steps of decoding and share their reading of the weights']),
    ...(options.speculative === undefined
      ? []
      : [
          'speculative decoding: every drafted token is verified, and the cache is read once for all of them; weights and cache of the draft are not in the memory',
        ]),
    ...memory.assumptions,
  ]
}
