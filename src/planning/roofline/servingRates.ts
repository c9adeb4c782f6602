import { peakOpsPerSecond } from '../hardware/index.js'
import {
  architectureOf,
  cacheBytes,
  estimateMemory,
  type MemoryEstimate,
  type Split,
} from '../model/index.js'
import { flopsOf, overAnswer, type ServingWork, weightBytes } from './servingWork.js'
import { type SpeculativeOptions, speculativeTokens } from './speculative.js'

/** How the requests are scheduled on the slice. */
export interface ServingSchedule {
  readonly split?: Split | undefined
  /** Tokens of a chunk of a prompt that is computed in a step of decoding; undefined where prompts are computed whole. */
  readonly chunk?: number | undefined
  readonly speculative?: SpeculativeOptions | undefined
}

/** What serving takes at peak rates. */
export interface ServingRates {
  readonly memory: MemoryEstimate
  readonly atOnce: number
  readonly prefill: PrefillPlan
  readonly decode: DecodePlan
  readonly tokensPerSecondAtPeak: number
}

/** Prefill and decode at peak rates, of as many requests as fit. */
export function servingRates(op: string, asked: ServingWork, schedule: ServingSchedule): ServingRates {
  const { config, made, batch, input, output, weightsDtype, cacheDtype } = asked
  const memory = estimateMemory(config, {
    ...{ slice: made, batch, sequence: input + output, mode: 'serve', paramsDtype: weightsDtype, cacheDtype },
    ...(schedule.split === undefined ? {} : { split: schedule.split }),
  })
  const atOnce = fitting(op, asked, memory)
  const { chunk = input, speculative } = schedule
  const work: Work = { ...asked, batch: atOnce, memory, chunk }
  const prefill = prefillOf(work)
  const decode = decodeOf(work, speculative === undefined ? 1 : speculativeTokens(speculative), speculative)
  const tokensPerSecondAtPeak = atPeak(work, prefill, decode, schedule.chunk !== undefined)
  return { memory, atOnce, prefill, decode, tokensPerSecondAtPeak }
}

/** Requests that are in memory at once: of each the cache of half of its answer, on average. */
function fitting(op: string, { batch, input, output }: ServingWork, memory: MemoryEstimate): number {
  const { perDevice, usableBytesPerDevice } = memory
  if (memory.fits || perDevice.cache === 0) return batch
  const free = usableBytesPerDevice - perDevice.weights
  const cache = perDevice.cache * ((input + output / 2) / (input + output))
  const perRequest = (cache + perDevice.working) / batch
  const most = Math.floor(free / perRequest)
  if (most >= 1) return Math.min(batch, most)
  throw new RangeError(
    `${op}: weights and the cache of one request do not fit in the memory of ${memory.slice.name}, nearest a larger slice or 8-bit weights [${batch} requests of ${input} and ${output} tokens]`,
  )
}

/** One prompt alone on the slice, at peak rates. */
export interface PrefillPlan {
  readonly seconds: number
  readonly chunks: number
  readonly compute: number
  /** Reading the weights, once for each chunk. */
  readonly weights: number
  /** Reading the cache of the chunks before. */
  readonly cache: number
}

/** A step that decodes all requests together, at peak rates. */
export interface DecodePlan {
  /** max(compute, weights + cache) + ici + draft. */
  readonly seconds: number
  /** Tokens that each request gets in a step: more than 1 with speculative decoding. */
  readonly tokens: number
  readonly secondsPerToken: number
  readonly compute: number
  readonly weights: number
  readonly cache: number
  /** All-reduces of tensor parallelism, which the next product waits for. */
  readonly ici: number
  readonly draft: number
  readonly boundBy: 'compute' | 'hbm' | 'ici' | 'draft'
}

interface Work extends ServingWork {
  readonly memory: MemoryEstimate
  readonly chunk: number
}

/** Replicas of the weights, which share the requests. */
const replicasOf = ({ memory: { split } }: Work): number => split.data

function prefillOf(work: Work): PrefillPlan {
  const { config, made, input, chunk, cacheDtype, dtype } = work
  // One prompt is on one replica.
  const chips = made.chips / replicasOf(work)
  const peak = peakOpsPerSecond(made.chip, dtype) * chips
  const rate = made.chip.hbmBytesPerSecond * chips
  const chunks = Math.ceil(input / chunk)
  let [seconds, compute, weights, cache] = [0, 0, 0, 0]
  for (let i = 0; i < chunks; i++) {
    const end = Math.min(input, (i + 1) * chunk)
    const own = flopsOf(config, end - i * chunk, end) / peak
    const read = weightBytes(work, end - i * chunk) / rate
    const before = i === 0 ? 0 : cacheBytes(config, { sequence: i * chunk, dtype: cacheDtype }) / rate
    compute += own
    weights += read
    cache += before
    seconds += Math.max(own, read + before)
  }
  return { seconds, chunks, compute, weights, cache }
}

function decodeOf(work: Work, tokens: number, speculative: SpeculativeOptions | undefined): DecodePlan {
  const { config, made, batch, cacheDtype, dtype } = work
  const replicas = replicasOf(work)
  const verified = (speculative?.tokens ?? 0) + 1
  const peak = peakOpsPerSecond(made.chip, dtype) * made.chips
  const compute = (batch * verified * overAnswer(work, (context) => flopsOf(config, 1, context))) / peak
  const weights = (replicas * weightBytes(work, (batch * verified) / replicas)) / made.hbmBytesPerSecond
  const cache =
    (batch * overAnswer(work, (sequence) => cacheBytes(config, { sequence, dtype: cacheDtype }))) /
    made.hbmBytesPerSecond
  const ici = allReduceSeconds(work, (batch * verified) / replicas)
  const draft = draftSeconds(work, speculative, made.hbmBytesPerSecond, peak)
  const seconds = Math.max(compute, weights + cache) + ici + draft
  const terms = { compute, hbm: weights + cache, ici, draft }
  const boundBy = (['compute', 'hbm', 'ici', 'draft'] as const).reduce((a, b) =>
    terms[b] > terms[a] ? b : a,
  )
  return {
    ...{ seconds, tokens, secondsPerToken: seconds / tokens, compute, weights, cache, ici, draft, boundBy },
  }
}

/** A draft's tokens one after the other: its weights read for each, its products. */
function draftSeconds(
  work: Work,
  speculative: SpeculativeOptions | undefined,
  hbm: number,
  peak: number,
): number {
  if (speculative?.draft === undefined) return 0
  const { draft, tokens, draftDtype = work.weightsDtype } = speculative
  const bytes = replicasOf(work) * weightBytes({ ...work, config: draft }, work.batch, draftDtype)
  return tokens * Math.max(bytes / hbm, (work.batch * flopsOf(draft, 1, 1)) / peak)
}

/** Two all-reduces a layer over tensor, of the residual stream in bfloat16: its bytes, and 1 us a hop and direction. */
function allReduceSeconds({ config, made, memory }: Work, tokens: number): number {
  const { tensor } = memory.split
  const { chip, topology, wrap } = made
  const link = chip.iciBytesPerSecondPerLink
  if (tensor === 1 || link === null || made.chips === 1) return 0
  const { D, L } = architectureOf(config)
  const sides = topology.flatMap((side, axis) => (side > 1 ? [{ side, wrapped: wrap[axis] === true }] : []))
  const rate = sides.reduce((sum, { wrapped }) => sum + (wrapped ? 2 * link : link), 0)
  const hops = sides.reduce((sum, { side, wrapped }) => sum + (wrapped ? Math.ceil(side / 2) : side - 1), 0)
  return 2 * L * (2 * ((2 * tokens * D) / rate) + 2 * hops * chip.iciHopSeconds)
}

/** Tokens a second at peak rates: all prompts, then all steps; or with chunks in the steps, as many steps as the longer asks for. */
function atPeak(work: Work, prefill: PrefillPlan, decode: DecodePlan, chunked: boolean): number {
  const { batch, output } = work
  const steps = output / decode.tokens
  if (!chunked) {
    // Each replica has its share of the prompts.
    return (batch * output) / ((batch / replicasOf(work)) * prefill.seconds + steps * decode.seconds)
  }
  const prompts = batch / replicasOf(work)
  const all = Math.max(steps, prompts * prefill.chunks)
  const compute = prompts * prefill.compute + steps * decode.compute
  const hbm = all * decode.weights + steps * decode.cache + prompts * prefill.cache
  return (batch * output) / (Math.max(compute, hbm) + all * decode.ici + steps * decode.draft)
}
