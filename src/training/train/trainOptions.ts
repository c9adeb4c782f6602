import {
  checkArray,
  checkFunction,
  checkInteger,
  checkOptions,
  checkPath,
  checkRecord,
  checkText,
  type OptionTable,
  shown,
} from '../../base/options/index.js'
import type { Key } from '../../tensors/random/index.js'
import type { Tensor } from '../../tensors/tensor/index.js'
import type { HostGroup, KeepRule } from '../checkpoint/index.js'
import type { Callback, Ended } from './callback.js'
import type { TrainData } from './trainData.js'

/** What a step receives besides its point and its data. */
export interface StepContext {
  /** Its number, from 1. */
  readonly step: number
  /** Its random key: that of the seed with the number folded in. */
  readonly key: Key
}

/** What a step gives: the next point, and beside it what was measured. */
export type StepResult<P> = P & {
  readonly loss: Tensor | number
  /** Whatever else is worth a line: scalars. */
  readonly metrics?: Readonly<Record<string, Tensor | number>>
}

/** Which states of a run are kept. */
export interface TrainCheckpoints {
  readonly folder: string | URL
  /** Steps between two; one more is saved when the run ends or is stopped. Default: that one alone. */
  readonly every?: number
  /** Which stay. Default: all. */
  readonly keep?: readonly KeepRule[]
  /** Plain data that tell this run from others: a checkpoint with other ones is refused. Default: none. */
  readonly settings?: unknown
}

/** What is measured now and then, on data that are not trained on. */
export interface Evaluation<P> {
  /** Steps between two. */
  readonly every: number
  /** Measures a point; the names are those of metrics. */
  readonly run: (point: P) => Readonly<Record<string, number>> | Promise<Readonly<Record<string, number>>>
}

/** What a run hands its numbers to, step by step: an exporter, a writer of event files, a column of an array. */
export interface Monitor<P = unknown> {
  /** After every step. */
  readonly onStep: NonNullable<Callback<P>['onStep']>
  /** Before the first step. */
  readonly onBegin?: NonNullable<Callback<P>['onBegin']>
  /** When the run is over. */
  readonly onEnd?: NonNullable<Callback<P>['onEnd']>
}

/** The hosts that train together: `joinHosts` of tpu-toolkit/hosts makes them. */
export interface TrainHosts extends HostGroup {
  /** Those that are known to be gone. */
  readonly lost: readonly number[]
}

/** A run. */
export interface TrainOptions<P extends object, B> {
  /** The point to begin with: a record of trees, such as { params, state }, whose leaves are tensors, numbers and booleans. */
  readonly init: (key: Key) => P
  /**
   * Parts of the point that are plain data (`PlainData`) and no trees: what has text, or grows from step to step, as the returns of
   * an agent's episodes do. Default none.
   */
  readonly plain?: readonly string[]
  /** One step: a function of its arguments alone, so that a run that goes on makes the steps of one that was not stopped. */
  readonly step: (point: P, batch: B, context: StepContext) => StepResult<P> | Promise<StepResult<P>>
  readonly data: TrainData<B>
  /** How many steps, those before a checkpoint counted. */
  readonly steps: number
  /** Of all random keys. Default 0. */
  readonly seed?: number
  readonly callbacks?: readonly Callback<P>[]
  readonly evaluate?: Evaluation<P>
  readonly checkpoint?: TrainCheckpoints
  readonly monitor?: Monitor<P>
  readonly hosts?: TrainHosts
  /** The signals that stop the run, with a checkpoint; a second one ends the process. Default SIGINT and SIGTERM. */
  readonly signals?: readonly string[]
}

/** What a run came to. */
export interface Trained<P> {
  readonly point: P
  /** Steps made, those before a checkpoint counted. */
  readonly step: number
  readonly ended: Ended
  /** The signal, or the callback, that ended it. */
  readonly by?: string
  /** The metrics of the last step; none where this run made no step. */
  readonly metrics: Readonly<Record<string, number>>
}

const names: OptionTable<TrainOptions<object, never>> = {
  ...{ init: 'required', step: 'required', data: 'required', steps: 'required' },
  ...{ seed: 'optional', callbacks: 'optional', evaluate: 'optional', checkpoint: 'optional' },
  ...{ monitor: 'optional', hosts: 'optional', signals: 'optional', plain: 'optional' },
}

const checkpointNames: OptionTable<TrainCheckpoints> = {
  ...{ folder: 'required', every: 'optional', keep: 'optional', settings: 'optional' },
}

const evaluationNames: OptionTable<Evaluation<never>> = { every: 'required', run: 'required' }

/** Throws unless these are options of a run. */
export function checkTrain<P extends object, B>(options: TrainOptions<P, B>): void {
  const op = 'train'
  checkOptions(op, options, names)
  const {
    init,
    step,
    steps,
    seed = 0,
    callbacks = [],
    evaluate,
    checkpoint,
    monitor,
    hosts,
    signals = [],
    plain = [],
  } = options
  checkFunction(op, 'init', init)
  checkFunction(op, 'step', step)
  checkInteger(op, 'steps', steps)
  checkInteger(op, 'seed', seed, Number.MIN_SAFE_INTEGER)
  checkArray(op, 'callbacks', callbacks)
  checkArray(op, 'signals', signals)
  checkArray(op, 'plain', plain)
  for (const name of plain) checkText(op, 'a name of plain', name)
  checkCallbacks(op, callbacks)
  if (monitor !== undefined) checkRecord(op, 'monitor', monitor, ['onStep'])
  if (hosts !== undefined) checkRecord(op, 'hosts', hosts, ['host', 'hosts', 'allGather', 'lost'])
  if (evaluate !== undefined) {
    checkOptions(`${op}, evaluate`, evaluate, evaluationNames)
    checkInteger(`${op}, evaluate`, 'every', evaluate.every, 1)
    checkFunction(`${op}, evaluate`, 'run', evaluate.run)
  }
  if (checkpoint === undefined) return
  checkOptions(`${op}, checkpoint`, checkpoint, checkpointNames)
  checkPath(`${op}, checkpoint`, checkpoint.folder)
  if (checkpoint.every !== undefined) checkInteger(`${op}, checkpoint`, 'every', checkpoint.every, 1)
}

function checkCallbacks(op: string, callbacks: readonly Callback<never>[]): void {
  const seen = new Set<string>()
  for (const callback of callbacks) {
    checkRecord(op, 'a callback', callback)
    const { name, state } = callback
    if (name !== undefined) checkText(op, 'name of a callback', name)
    if (state === undefined) continue
    if (name === undefined) {
      throw new RangeError(`${op}: a callback with a state has no name [${shown(callback)}]`)
    }
    if (seen.has(name)) throw new RangeError(`${op}: two callbacks with a state have one name [${name}]`)
    seen.add(name)
  }
}
