import { checkOptions, type OptionTable, shown } from '../base/options/index.js'
import type { FormatName } from '../numbers/formats/index.js'
import {
  type ColumnPlace,
  type ColumnSpec,
  layoutOf,
  type ReplaySpec,
  type TransitionSpec,
} from './layout.js'
import type { Prioritized } from './priorities.js'
import { type RateLimit, rateLimitNames } from './rateLimiter.js'

/** Returns over several steps: the target of row t is reward + discount * value(nextObs) of the batch. */
export interface NStep {
  /** Rows in a return, at most; fewer where the episode ends or the newest row comes first. */
  readonly n: number
  /** The discount of one step, 0 .. 1. */
  readonly gamma: number
}

/** What is done with a reward that is NaN: refuse the row, store it, or store 0. */
export type NaNReward = 'reject' | 'keep' | 'zero'

/** Options of every buffer. */
export interface ReplayCommonOptions {
  /** Rows the ring holds; from then on a new one replaces the oldest. */
  readonly capacity: number
  /** Seed of every draw, 0 .. 2^32 - 1. Default 0. */
  readonly seed?: number
  /** Environments that take turns: row i + environments is the step after row i. Default 1. */
  readonly environments?: number
  /** Default 'reject'. */
  readonly nanReward?: NaNReward
  /** Default: one step, and no discount in the batch. */
  readonly nStep?: NStep
  /** `true` for the defaults. Default: uniform sampling. */
  readonly prioritized?: Prioritized | true
  /** Default: none. */
  readonly rateLimit?: RateLimit
  /** Who gathers for sampleAsync: a worker where there are any, or this thread. Default 'worker'. */
  readonly prefetch?: 'worker' | 'in-process'
}

/** Columns obs, action, reward and nextObs. */
export interface TransitionOptions extends ReplayCommonOptions {
  /** Numbers in an observation: a count, or a shape. */
  readonly obsDim: number | readonly number[]
  /** Numbers in an action: a count, or a shape. */
  readonly actionDim: number | readonly number[]
  /** What obs, nextObs and action are stored in; reward is float32. Default 'float32'. */
  readonly dtype?: FormatName | 'float32'
  readonly spec?: undefined
}

/** Custom columns. */
export interface SpecOptions<S extends ReplaySpec> extends ReplayCommonOptions {
  readonly spec: S
  readonly obsDim?: undefined
  readonly actionDim?: undefined
  readonly dtype?: undefined
}

/** Options of `new ReplayBuffer`. */
export type ReplayOptions<S extends ReplaySpec = TransitionSpec> = TransitionOptions | SpecOptions<S>

/** The options, checked and complete, as a file keeps them. */
export interface ReplaySettings {
  readonly capacity: number
  readonly seed: number
  readonly environments: number
  readonly nanReward: NaNReward
  readonly nStep: NStep | undefined
  readonly prioritized: Prioritized | undefined
  readonly rateLimit: RateLimit | undefined
  readonly spec: ReplaySpec
}

const commonNames: OptionTable<ReplayCommonOptions> = {
  capacity: 'required',
  seed: 'optional',
  environments: 'optional',
  nanReward: 'optional',
  nStep: 'optional',
  prioritized: 'optional',
  rateLimit: 'optional',
  prefetch: 'optional',
}
const transitionNames: OptionTable<TransitionOptions> = {
  ...commonNames,
  obsDim: 'required',
  actionDim: 'required',
  dtype: 'optional',
  spec: 'optional',
}
const specNames: OptionTable<SpecOptions<ReplaySpec>> = {
  ...commonNames,
  spec: 'required',
  obsDim: 'optional',
  actionDim: 'optional',
  dtype: 'optional',
}
const nStepNames: OptionTable<NStep> = { n: 'required', gamma: 'required' }
const prioritizedNames: OptionTable<Prioritized> = { alpha: 'optional', beta: 'optional', eps: 'optional' }
const columnNames: OptionTable<ColumnSpec> = { shape: 'optional', dtype: 'optional' }

/** The records of options, one within the other. */
function checkRecords(options: ReplayOptions<ReplaySpec>): void {
  const op = 'ReplayBuffer'
  checkOptions(op, options, options?.spec === undefined ? transitionNames : specNames)
  const { nStep, prioritized, rateLimit, spec } = options
  if (nStep !== undefined) checkOptions(`${op}: nStep`, nStep, nStepNames)
  if (prioritized !== undefined && prioritized !== true) {
    checkOptions(`${op}: prioritized`, prioritized, prioritizedNames)
  }
  if (rateLimit !== undefined) checkOptions(`${op}: rateLimit`, rateLimit, rateLimitNames)
  if (spec === undefined) return
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) {
    throw new TypeError(`${op}: spec is not a record of columns [${shown(spec)}]`)
  }
  for (const [name, column] of Object.entries(spec)) checkOptions(`${op}: ${name}`, column, columnNames)
}

/** Checks what the parts of a buffer do not check themselves. */
export function settingsOf(options: ReplayOptions<ReplaySpec>): ReplaySettings {
  checkRecords(options)
  const {
    capacity,
    seed = 0,
    environments = 1,
    nanReward = 'reject',
    prioritized,
    rateLimit,
    nStep,
  } = options
  checkPositive('capacity', capacity)
  checkPositive('environments', environments)
  if (environments > capacity) {
    throw new RangeError(`ReplayBuffer: more environments than rows [${environments}, capacity ${capacity}]`)
  }
  if (!['reject', 'keep', 'zero'].includes(nanReward)) {
    throw new RangeError(`ReplayBuffer: nanReward is not reject, keep or zero [${String(nanReward)}]`)
  }
  if (rateLimit && rateLimit.minSizeToSample > capacity) {
    throw new RangeError(
      `ReplayBuffer: rateLimit.minSizeToSample is more than the capacity [${rateLimit.minSizeToSample} of ${capacity}]`,
    )
  }
  const spec = specOf(options)
  if (nStep) checkNStep(nStep, layoutOf(spec).places)
  return {
    capacity,
    seed,
    environments,
    nanReward,
    nStep: nStep && { n: nStep.n, gamma: nStep.gamma },
    prioritized: prioritized === true ? {} : prioritized,
    rateLimit,
    spec,
  }
}

function checkPositive(name: string, value: number): void {
  if (!(Number.isSafeInteger(value) && value > 0 && value < 2 ** 32)) {
    throw new RangeError(`ReplayBuffer: ${name} is not an integer in 1..2^32-1 [${String(value)}]`)
  }
}

function specOf({ spec, obsDim, actionDim, dtype }: ReplayOptions<ReplaySpec>): ReplaySpec {
  if (spec !== undefined) {
    if (obsDim !== undefined || actionDim !== undefined || dtype !== undefined) {
      throw new RangeError('ReplayBuffer: spec says it all, leave out obsDim, actionDim and dtype [spec]')
    }
    // A copy: what the caller changes later must not reach a file.
    return structuredClone(spec)
  }
  const obs: ColumnSpec = { shape: shapeOf('obsDim', obsDim), ...(dtype && { dtype }) }
  const action: ColumnSpec = { shape: shapeOf('actionDim', actionDim), ...(dtype && { dtype }) }
  return { obs, action, reward: {}, nextObs: obs }
}

function shapeOf(name: string, size: number | readonly number[] | undefined): readonly number[] {
  const shape = typeof size === 'number' ? [size] : size
  if (!Array.isArray(shape) || shape.length === 0 || !shape.every((n) => Number.isSafeInteger(n) && n > 0)) {
    throw new RangeError(`ReplayBuffer: ${name} is not a positive integer or a shape [${String(size)}]`)
  }
  return shape
}

function checkNStep({ n, gamma }: NStep, places: readonly ColumnPlace[]): void {
  checkPositive('nStep.n', n)
  if (!(gamma >= 0 && gamma <= 1)) {
    throw new RangeError(`ReplayBuffer: nStep.gamma is outside 0..1 [${String(gamma)}]`)
  }
  const reward = places.find(({ name }) => name === 'reward')
  if (reward?.width !== 1) {
    throw new RangeError(
      `ReplayBuffer: nStep needs a column reward of one number [${reward?.width ?? 'none'}]`,
    )
  }
  if (['int32', 'uint32', 'uint8', 'bool'].includes(reward.dtype)) {
    throw new TypeError(`ReplayBuffer: nStep needs a column reward of floating point [${reward.dtype}]`)
  }
}
