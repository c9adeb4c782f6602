import { checkInteger, checkName, checkOptions, type OptionTable } from '../../base/options/index.js'

/**
 * The order in which a stage computes its microbatches. 'gpipe': all forward passes, then all backward passes. '1f1b': after a
 * warm-up one forward and one backward pass in turn (PipeDream-Flush). 'interleaved': 1F1B where each stage has several groups of
 * layers (Megatron-LM).
 */
export type PipelineScheduleName = 'gpipe' | '1f1b' | 'interleaved'

/** Stages that share the layers, and the microbatches that pass through them. */
export interface PipelineOptions {
  readonly stages: number
  /** Parts of the batch of a step, one after the other. */
  readonly microbatches: number
  /** Default '1f1b', or 'interleaved' where `virtual` is above 1. */
  readonly schedule?: PipelineScheduleName
  /**
   * Groups of layers of each stage: stage s of p has groups s, s + p, s + 2 p and so on. Default 1, of 'interleaved' 2; with
   * 'gpipe' it is MaxText's circular pipeline (num_pipeline_repeats).
   */
  readonly virtual?: number
}

/** The names of `PipelineOptions`. */
export const pipelineNames: OptionTable<PipelineOptions> = {
  ...{ stages: 'required', microbatches: 'required', schedule: 'optional', virtual: 'optional' },
}

/** A schedule: how long stages wait, and what they hold. */
export interface PipelineSchedule extends Required<PipelineOptions> {
  /** The time that a stage waits over the time that it computes: (p - 1) / (v m), where all stages take the same time. */
  readonly bubble: number
  /** The share of the step that a stage waits: bubble / (1 + bubble). */
  readonly idleShare: number
  /** Forward passes of a group of layers that each stage computes before its first backward pass. */
  readonly warmup: readonly number[]
  /** Microbatches whose activations each stage holds at once, at most; fractions where a stage has several groups of layers. */
  readonly inFlight: readonly number[]
}

const schedules: readonly PipelineScheduleName[] = ['gpipe', '1f1b', 'interleaved']

/**
 * The bubble of a pipeline and the microbatches in flight, by formula; `pipelineTimetable` has every operation with its time.
 *
 * Shape     none. Dtype none. Rounding none.
 * Throws    RangeError for an unknown schedule; where 'interleaved' has one group of layers or microbatches that the stages do not
 *           divide, and where '1f1b' has several groups.
 * Source    GPipe (arXiv:1811.06965), PipeDream-Flush and the interleaved schedule of Megatron-LM (arXiv:2104.04473)
 *
 * @example pipelineSchedule({ stages: 4, microbatches: 8 }).bubble // 0.375
 * @example pipelineSchedule({ stages: 4, microbatches: 8 }).inFlight // [4, 3, 2, 1]
 * @example pipelineSchedule({ stages: 4, microbatches: 8, schedule: 'interleaved', virtual: 2 }).bubble // 0.1875
 */
export function pipelineSchedule(options: PipelineOptions): PipelineSchedule {
  return scheduleOf('pipelineSchedule', options)
}

/** `pipelineSchedule` in another function's name. */
export function scheduleOf(op: string, options: PipelineOptions): PipelineSchedule {
  checkOptions(op, options, pipelineNames)
  const { stages, microbatches } = options
  const schedule = options.schedule ?? ((options.virtual ?? 1) > 1 ? 'interleaved' : '1f1b')
  checkName(op, 'schedule', schedule, schedules)
  const { virtual = schedule === 'interleaved' ? 2 : 1 } = options
  for (const [name, value] of Object.entries({ stages, microbatches, virtual })) {
    checkInteger(op, name, value, 1)
  }
  if (schedule === '1f1b' && virtual > 1) {
    throw new RangeError(
      `${op}: 1f1b has one group of layers in a stage, nearest schedule interleaved [virtual ${virtual}]`,
    )
  }
  if (schedule === 'interleaved') checkInterleaved(op, stages, microbatches, virtual)
  if (schedule === 'gpipe' && virtual > 1 && microbatches < stages) {
    throw new RangeError(
      `${op}: a circular pipeline has as many microbatches as stages or more, nearest ${stages} [${microbatches}]`,
    )
  }
  const all = microbatches * virtual
  const ranks = Array.from({ length: stages }, (_, rank) => rank)
  const warmup = ranks.map((rank) => Math.min(all, warmupOf(schedule, stages, virtual, all, rank)))
  const bubble = (stages - 1) / all
  return {
    ...{ stages, microbatches, schedule, virtual, bubble, idleShare: bubble / (1 + bubble), warmup },
    inFlight: warmup.map((forwards) => Math.min(all, forwards + 1) / virtual),
  }
}

function checkInterleaved(op: string, stages: number, microbatches: number, virtual: number): void {
  if (virtual < 2) {
    throw new RangeError(
      `${op}: interleaved has 2 groups of layers in a stage or more, nearest schedule 1f1b [virtual ${virtual}]`,
    )
  }
  if (microbatches % stages !== 0) {
    throw new RangeError(
      `${op}: the stages do not divide the microbatches of an interleaved schedule, nearest ${Math.max(1, Math.round(microbatches / stages)) * stages} [${microbatches} over ${stages} stages]`,
    )
  }
}

function warmupOf(
  schedule: PipelineScheduleName,
  stages: number,
  virtual: number,
  all: number,
  rank: number,
): number {
  if (schedule === 'gpipe') return all
  return schedule === '1f1b' ? stages - 1 - rank : 2 * (stages - 1 - rank) + (virtual - 1) * stages
}
