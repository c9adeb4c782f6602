import { checkOptions } from '../../base/options/index.js'
import { chip, chipNames, type Slice, slice, sliceOf, topologies } from '../hardware/index.js'
import { checkedArchitecture } from './architectureOf.js'
import type { ModelConfig } from './config.js'
import { type MemoryEstimate, type MemoryOptions, memoryNames, memoryOf } from './estimateMemory.js'
import { scheduleOf } from './pipelineSchedule.js'
import { type Remat, rematText } from './remat.js'
import { readSplit } from './split.js'

/** As `estimateMemory`'s, without the batch, which is the answer. */
export type BatchSizeOptions = Omit<MemoryOptions, 'batch'>

const { batch: _, ...names } = memoryNames

/** The largest batch that fits, and how far it keeps the arrays busy. */
export interface OptimalBatchSize {
  /** Sequences on all devices together. */
  readonly batch: number
  readonly tokensPerChip: number
  /** Tokens per chip from which a product with weights is bound by compute: peak FLOP/s over HBM bytes/s, in bfloat16. */
  readonly criticalTokensPerChip: number
  readonly memory: MemoryEstimate
}

/**
 * The largest batch that fits in the memory of a slice: a whole number of sequences for each of the devices that share it, and
 * of each microbatch of a pipeline.
 *
 * Shape     none. Dtype as `estimateMemory`. Rounding down to what the devices divide.
 * Throws    RangeError where not even one sequence for each fits; what does is named: a policy of recomputation, or the
 *           smallest slice.
 * Error     as `estimateMemory`.
 *
 * @example findOptimalBatchSize({ family: 'gpt2', D: 768, L: 12 }, { slice: 'v5e-8', sequence: 1024 }).batch % 8 // 0
 */
export function findOptimalBatchSize(config: ModelConfig, options: BatchSizeOptions): OptimalBatchSize {
  const op = 'findOptimalBatchSize'
  const model = checkedArchitecture(op, config)
  checkOptions(op, options, names)
  const made = sliceOf(op, options.slice)
  // Each slice and each microbatch has a share of the batch.
  const times =
    (options.slices ?? 1) *
    (options.pipeline === undefined ? 1 : scheduleOf(op, options.pipeline).microbatches)
  const at: At = (rows, changed = {}) => {
    const all = { ...options, slice: made, ...changed }
    const split = readSplit(op, model, all.slice, all.split, all.mode ?? 'train', all.pipeline?.stages)
    const batch = rows * split.data * split.fsdp * split.expert * times
    return memoryOf(op, config, model, { ...all, split, batch })
  }
  const least = at(1)
  if (!least.fits) {
    throw new RangeError(`${op}: ${doesNotFit(least)}, ${nearest(at, options, made.chip.name)}`)
  }
  let [low, high] = [1, 2]
  while (high < 2 ** 40 && at(high).fits) [low, high] = [high, 2 * high]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (at(middle).fits) low = middle
    else high = middle
  }
  const memory = at(low)
  const { data, fsdp, expert } = memory.split
  const batch = low * data * fsdp * expert * times
  const { bfloat16FlopsPerSecond, hbmBytesPerSecond } = made.chip
  return {
    ...{ batch, memory, tokensPerChip: (batch * options.sequence) / made.chips / (options.slices ?? 1) },
    criticalTokensPerChip: bfloat16FlopsPerSecond / hbmBytesPerSecond,
  }
}

const gib = (bytes: number): string => (bytes / 2 ** 30).toPrecision(4)

const doesNotFit = ({ slice: made, bytesPerDevice, usableBytesPerDevice }: MemoryEstimate): string =>
  `one sequence for each way takes ${gib(bytesPerDevice)} GiB of ${gib(usableBytesPerDevice)} on each device of ${made.name}`

/** The memory with so many sequences for each way that shares the batch. */
type At = (rows: number, changed?: Partial<BatchSizeOptions> & { readonly slice?: Slice }) => MemoryEstimate

/** What would fit: the same with more computed again, else the smallest slice, of the same chip first. */
function nearest(at: At, { remat = 'block', split, pipeline }: BatchSizeOptions, name: string): string {
  const stronger: Remat[] = remat === 'everything' ? ['dots', 'block'] : remat === 'block' ? [] : ['block']
  for (const policy of stronger) {
    if (at(1, { remat: policy }).fits) return `nearest that fits remat ${rematText(policy)}`
  }
  // The ways asked for stay, but for fsdp, which takes the devices that are left.
  const { fsdp, ...ways } = split ?? {}
  for (const family of [name, ...chipNames.filter((other) => other !== name)]) {
    for (const shape of topologies(chip(family))) {
      const wider = slice(`${family}:${shape.join('x')}`)
      const { data = 1, tensor = 1, expert = 1, context = 1 } = ways
      const perStage = wider.jaxDevices / (pipeline?.stages ?? 1)
      if (perStage % (data * tensor * expert * context) !== 0) continue
      if (at(1, { slice: wider, split: ways, remat: stronger.at(-1) ?? remat }).fits) {
        return `nearest that fits ${wider.name} (${shape.join('x')})`
      }
    }
  }
  return 'and no slice fits it so'
}
