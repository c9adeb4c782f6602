import {
  checkFunction,
  checkInteger,
  checkOptions,
  checkRecord,
  type OptionTable,
} from '../../base/options/index.js'
import type { Checkpoint, CheckpointStore } from './checkpoint.js'
import { type Explanation, explainRun } from './explainRun.js'
import { parameterNames } from './parameters.js'
import { checkData, drawData, type Step2750Data } from './step2750Data.js'
import { type Step2750Options, type Step2750Run, step2750Options } from './step2750Options.js'
import { recordOf, type Step2750Record } from './step2750Record.js'
import { firstPoint, sequencesOf, type TrainPoint, trainStep2750 } from './trainStep2750.js'

/** What a run came to. */
export interface Step2750Result {
  readonly options: Step2750Run
  /** The order of params and grads in the records. */
  readonly keys: readonly string[]
  readonly stepsRun: number
  readonly firstNonFiniteStep: number | null
  /** Steps with a loss or gradient that is not finite. */
  readonly nonFiniteSteps: number
  /** The loss of every step. */
  readonly loss: Float32Array
  /** Steps 1 ... 5, every 100th, the first 20 from a non-finite one on, the last 11. */
  readonly records: readonly Step2750Record[]
  readonly explanation: Explanation
}

/** The inputs of a run besides its options. */
export interface RunStep2750Options {
  /** Default: drawn from the options' seed. */
  readonly data?: Step2750Data
  /** The store of the run, from which it resumes with the same bits. `checkpointFile` makes one. Default: none. */
  readonly checkpoint?: CheckpointStore
  /** Steps between two writings of it. Default: 100. */
  readonly checkpointEvery?: number
  /** Called after every step. */
  readonly onStep?: (step: number, record: () => Step2750Record) => void
}

const moreNames: OptionTable<RunStep2750Options> = {
  ...{ data: 'optional', checkpoint: 'optional', checkpointEvery: 'optional', onStep: 'optional' },
}

const tailLength = 11
const afterFirstBad = 20

/**
 * Runs the experiment to its end.
 *
 * Special   a run that becomes non-finite stops there, unless `zeroNans` is set.
 * Cost      about a millisecond a step for 128 positions.
 * Throws    RangeErrors for options and data that do not fit; what the checkpoint throws, such as for one of another run.
 *
 * @example runStep2750({ steps: 2 }).loss.length // 2
 */
export function runStep2750(options: Step2750Options = {}, more: RunStep2750Options = {}): Step2750Result {
  checkOptions('runStep2750', more, moreNames)
  if (more.data !== undefined) checkData('runStep2750', more.data)
  if (more.checkpoint !== undefined) {
    checkRecord('runStep2750', 'checkpoint', more.checkpoint, ['read', 'write'])
  }
  if (more.onStep !== undefined) checkFunction('runStep2750', 'onStep', more.onStep)
  const run = step2750Options(
    more.data ? { ...options, length: options.length ?? more.data.length } : options,
  )
  const data = more.data ?? drawData(run)
  if (data.length !== run.length) {
    throw new RangeError(`step2750: the data have ${data.length} positions a row [${run.length}]`)
  }
  const every = more.checkpointEvery ?? 100
  checkInteger('step2750', 'checkpointEvery', every, 1)
  const sequence = sequencesOf(data, run)
  const stored = more.checkpoint?.read(data, run)
  const loss = new Float32Array(run.steps)
  loss.set(stored?.loss ?? [])
  const kept = [...(stored?.kept ?? [])]
  const tail: (() => Step2750Record)[] = (stored?.tail ?? []).map((record) => () => record)
  let firstBad = stored?.firstNonFiniteStep ?? null
  let bad = stored?.nonFiniteSteps ?? 0
  let point: TrainPoint = stored?.point ?? firstPoint(data, run)

  const save = (): void => {
    if (more.checkpoint === undefined) return
    const content: Checkpoint = {
      point,
      loss: loss.subarray(0, point.step),
      kept,
      tail: tail.map((record) => record()),
      firstNonFiniteStep: firstBad,
      nonFiniteSteps: bad,
    }
    more.checkpoint.write(content, data, run)
  }

  if (firstBad === null || run.zeroNans) {
    for (const { facts, point: behind } of trainStep2750(data, run, point)) {
      const { step } = facts
      point = behind
      loss[step - 1] = facts.loss.item()
      if (!facts.finite) {
        // The last finite step is what the first other one is compared with.
        if (firstBad === null && tail.length > 0) kept.push(tail.at(-1)!())
        firstBad ??= step
        bad++
      }
      let made: Step2750Record | undefined
      const record = (): Step2750Record => (made ??= recordOf(facts, sequence(step), run))
      if (step <= 5 || step % 100 === 0 || (firstBad !== null && step < firstBad + afterFirstBad)) {
        kept.push(record())
      }
      tail.push(record)
      if (tail.length > tailLength) tail.shift()
      more.onStep?.(step, record)
      if (step % every === 0) save()
    }
    if (stored === undefined || point.step > stored.point.step) save()
  }

  const records = merged(
    kept,
    tail.map((record) => record()),
  )
  return {
    options: run,
    keys: parameterNames,
    stepsRun: point.step,
    firstNonFiniteStep: firstBad,
    nonFiniteSteps: bad,
    loss: loss.subarray(0, point.step),
    records,
    explanation: explainRun(records, firstBad, sequence, run),
  }
}

/** Records in the order of their steps, each step once. */
function merged(kept: readonly Step2750Record[], tail: readonly Step2750Record[]): Step2750Record[] {
  const byStep = new Map([...kept, ...tail].map((record) => [record.step, record]))
  return [...byStep.values()].sort((a, b) => a.step - b.step)
}
