import { checkNumber, checkOptions, type OptionTable } from '../../base/options/index.js'
import { type PipelineOptions, type PipelineSchedule, pipelineSchedule } from '../model/index.js'

/** A pipeline, and how long its passes take. */
export interface PipelineTimetableOptions extends PipelineOptions {
  /** Time of the forward pass of a microbatch through a whole stage, default 1. */
  readonly forward?: number
  /** Of its backward pass, default 2. */
  readonly backward?: number
}

const names: OptionTable<PipelineTimetableOptions> = {
  ...{ stages: 'required', microbatches: 'required', schedule: 'optional', virtual: 'optional' },
  ...{ forward: 'optional', backward: 'optional' },
}

/** One pass of one microbatch through one group of layers of a stage. */
export interface PipelineOperation {
  readonly pass: 'forward' | 'backward'
  readonly microbatch: number
  /** The group of layers of the stage, 0 where it has one. */
  readonly group: number
  readonly start: number
  readonly end: number
}

/** Every operation of a step, by stage, in the order in which the stage computes them. */
export interface PipelineTimetable {
  readonly schedule: PipelineSchedule
  readonly stages: readonly (readonly PipelineOperation[])[]
  /** From the first operation of a step to the end of the last one. */
  readonly makespan: number
}

/**
 * Every operation of a step of a pipeline with its time: each stage computes in its schedule's order, an operation as soon as the
 * stage is free and what it needs is there. Transfers between stages take no time.
 *
 * Shape     none. Dtype none. Rounding sums of times in float64.
 * Throws    as `pipelineSchedule`; RangeError for a time that is not positive.
 * Source    the orders of GPipe (arXiv:1811.06965) and Megatron-LM (arXiv:2104.04473)
 *
 * @example pipelineTimetable({ stages: 2, microbatches: 2 }).makespan // 9
 * @example pipelineTimetable({ stages: 2, microbatches: 2 }).stages[1].map(({ pass }) => pass) // ['forward', 'backward', 'forward', 'backward']
 */
export function pipelineTimetable(options: PipelineTimetableOptions): PipelineTimetable {
  const op = 'pipelineTimetable'
  checkOptions(op, options, names)
  const { forward = 1, backward = 2, ...pipeline } = options
  const schedule = pipelineSchedule(pipeline)
  for (const [name, value] of Object.entries({ forward, backward })) {
    checkNumber(op, name, value, Number.MIN_VALUE)
  }
  const { stages, virtual } = schedule
  const orders = schedule.warmup.map((warmup) => orderOf(schedule, warmup))
  const done: PipelineOperation[][] = orders.map(() => [])
  const ends = new Map<string, number>()
  const last = stages * virtual - 1
  for (let left = orders.reduce((sum, order) => sum + order.length, 0); left > 0; ) {
    for (const [stage, order] of orders.entries()) {
      const own = done[stage] ?? []
      for (let next = order[own.length]; next !== undefined; next = order[own.length]) {
        const { pass, microbatch, group } = next
        // The layers in front of these hand over activations, those behind gradients.
        const place = group * stages + stage
        const ready =
          pass === 'forward'
            ? place === 0
              ? 0
              : ends.get(key('forward', place - 1, microbatch))
            : ends.get(
                place === last ? key('forward', place, microbatch) : key('backward', place + 1, microbatch),
              )
        if (ready === undefined) break
        const start = Math.max(ready, own.at(-1)?.end ?? 0)
        const end = start + (pass === 'forward' ? forward : backward) / virtual
        own.push({ ...next, start, end })
        ends.set(key(pass, place, microbatch), end)
        left--
      }
    }
  }
  return { schedule, stages: done, makespan: Math.max(...done.map((own) => own.at(-1)?.end ?? 0)) }
}

const key = (pass: string, place: number, microbatch: number): string => `${pass} ${place} ${microbatch}`

type Planned = Pick<PipelineOperation, 'pass' | 'microbatch' | 'group'>

/** The operations of a stage in its order: the warm-up, one forward and one backward pass in turn, the rest backward. */
function orderOf(schedule: PipelineSchedule, warmup: number): readonly Planned[] {
  const forward = passes(schedule, 'forward')
  const backward = passes(schedule, 'backward')
  const order = forward.slice(0, warmup)
  for (const [i, next] of forward.slice(warmup).entries()) order.push(next, ...backward.slice(i, i + 1))
  return [...order, ...backward.slice(forward.length - warmup)]
}

/** All passes of a stage in one direction: with several groups of layers, so many microbatches through each group in turn. */
function passes(
  { stages, microbatches, virtual, schedule }: PipelineSchedule,
  pass: 'forward' | 'backward',
): Planned[] {
  const together = schedule === 'interleaved' ? stages : microbatches
  return Array.from({ length: microbatches * virtual }, (_, k) => {
    const turn = Math.floor((k % (together * virtual)) / together)
    return {
      ...{ pass, group: pass === 'forward' ? turn : virtual - 1 - turn },
      microbatch: Math.floor(k / (together * virtual)) * together + (k % together),
    }
  })
}
