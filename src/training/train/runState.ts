import { type State, stateFromTree, stateToTree } from '../../optimizer/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import type { CheckpointContent, PlainData, RestoredCheckpoint } from '../checkpoint/index.js'
import type { StreamState } from '../pipeline/index.js'
import type { Callback, Ended } from './callback.js'

/** Where a run stands between two steps. */
export interface RunPoint<P> {
  readonly step: number
  readonly point: P
  /** Where its data go on, on all hosts together; null for data that are a function of the step. */
  readonly from: StreamState | null
  /** How the run came to its end, so that one that is begun again makes no further step. */
  readonly ended: Ended | undefined
}

/** What a run keeps of itself beside the tensors. */
interface KeptRun {
  readonly train: 1
  readonly seed: number
  readonly settings: unknown
  /** Only what a run that is begun again does not go beyond. */
  readonly ended: 'callback' | 'data' | null
  readonly data: StreamState | null
  readonly callbacks: Readonly<Record<string, unknown>>
  /** The parts of the point that are plain data; not there where it has none. */
  readonly plain?: Readonly<Record<string, unknown>>
}

/** What tells a run from others. */
export interface RunIdentity {
  readonly seed: number
  readonly settings: unknown
  /** Which parts of the point are plain data. */
  readonly plain: readonly string[]
}

/** The states of callbacks by their names, as they are now. */
export function statesOf<P>(callbacks: readonly Callback<P>[]): KeptRun['callbacks'] {
  return Object.fromEntries(callbacks.flatMap(({ name = '', state }) => (state ? [[name, state()]] : [])))
}

/** A run as the content of a checkpoint: parts of the point that `init` gave, the data's place, the callbacks' states. */
export function contentOf<P extends object>(
  like: P,
  { point, ended, from }: RunPoint<P>,
  { seed, settings, plain }: RunIdentity,
  states: KeptRun['callbacks'],
  metrics: Readonly<Record<string, number>>,
): CheckpointContent {
  const final = ended === 'callback' || ended === 'data' ? ended : null
  const beside = Object.fromEntries(plain.map((name) => [name, Reflect.get(point, name) as unknown]))
  const state: KeptRun = {
    ...{ train: 1, seed, settings, ended: final, data: from, callbacks: states },
    ...(plain.length > 0 && { plain: beside }),
  }
  return { tensors: stateToTree(partsOf(like, point, plain)) as Treelike, state, metrics }
}

/** The run that a checkpoint holds; refuses one of another run. */
export function runPointOf<P extends object>(
  like: P,
  saved: RestoredCheckpoint,
  identity: RunIdentity,
  callbacks: readonly Callback<P>[],
): RunPoint<P> {
  const kept = saved.state as Partial<KeptRun> | null
  if (kept?.train !== 1) {
    throw new RangeError(`train: the checkpoint is of no run of train [step ${saved.step}]`)
  }
  if (kept.seed !== identity.seed) {
    throw new RangeError(
      `train: the checkpoint is of another run, its seed differs [${kept.seed}, not ${identity.seed}]`,
    )
  }
  const [theirs, ours] = [JSON.stringify(kept.settings), JSON.stringify(identity.settings)]
  if (theirs !== ours) {
    throw new RangeError(
      `train: the checkpoint is of another run, its settings differ [${theirs}, not ${ours}]`,
    )
  }
  const states = kept.callbacks ?? {}
  for (const { name = '', restore } of callbacks) {
    const state = Object.hasOwn(states, name) ? states[name] : undefined
    if (restore && state !== undefined) restore(state as PlainData)
  }
  const parts = stateFromTree(saved.tensors, partsOf(like, like, identity.plain))
  const { ended, data = null, plain = {} } = kept
  const lacking = identity.plain.find((name) => !Object.hasOwn(plain, name))
  if (lacking !== undefined) {
    throw new RangeError(`train: the checkpoint has no plain data of this name [${lacking}]`)
  }
  return { step: saved.step, point: { ...like, ...parts, ...plain }, ended: ended ?? undefined, from: data }
}

/** The parts of a point that there were at the beginning: a step may give others beside, such as the loss. */
function partsOf(like: object, point: object, plain: readonly string[]): Readonly<Record<string, State>> {
  const keys = Object.keys(like).filter((key) => !plain.includes(key))
  return Object.fromEntries(keys.map((key) => [key, Reflect.get(point, key) as State]))
}
