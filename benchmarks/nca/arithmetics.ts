import { compile } from 'tpu-toolkit/compile'
import {
  type Circle,
  damageCircle,
  fireMasks,
  lostUpdates,
  type NcaParams,
  type NcaRolloutOptions,
  ncaRollout,
  seedState,
} from 'tpu-toolkit/nca'
import { key } from 'tpu-toolkit/random'
import { type FloatDType, slice, type Tensor } from 'tpu-toolkit/tensor'

/** A pair of dtypes, and how the state is rounded. */
export interface Arithmetic {
  readonly name: string
  readonly dtype: FloatDType
  readonly stateDtype: FloatDType
  readonly rounding?: 'stochastic'
}

export const arithmetics: readonly Arithmetic[] = [
  { name: 'float32', dtype: 'float32', stateDtype: 'float32' },
  { name: 'bfloat16, state float32', dtype: 'bfloat16', stateDtype: 'float32' },
  { name: 'bfloat16', dtype: 'bfloat16', stateDtype: 'bfloat16' },
  { name: 'bfloat16, state at random', dtype: 'bfloat16', stateDtype: 'bfloat16', rounding: 'stochastic' },
  { name: 'state float8_e4m3fn', dtype: 'bfloat16', stateDtype: 'float8_e4m3fn' },
  {
    name: 'state float8_e4m3fn at random',
    dtype: 'bfloat16',
    stateDtype: 'float8_e4m3fn',
    rounding: 'stochastic',
  },
  { name: 'float8_e4m3fn, state float32', dtype: 'float8_e4m3fn', stateDtype: 'float32' },
]

/** What became of an automaton in an arithmetic. */
export interface Outcome {
  readonly arithmetic: Arithmetic
  /** States to look at, one for each of `moments`. */
  readonly states: readonly Tensor[]
  /** The mean square of what red, green, blue and opacity are off, of each. */
  readonly losses: readonly number[]
  /** The share of updates that rounding to nearest would take, over steps 8, 16, ..., 96. */
  readonly lost: number
}

/** Steps after which an automaton is looked at; damaged after 96, it is looked at again. */
export const grown: readonly number[] = [16, 32, 64, 96]
export const healed: readonly number[] = [16, 48, 96]

/** What the states are called. */
export const moments: readonly string[] = [
  ...grown.map((step) => `step ${step}`),
  'damaged',
  ...healed.map((step) => `${step} later`),
]

const wound: Circle = { center: [0.35, 0.35], radius: 0.35 }
const last = 96

/** Grows, hurts and heals an automaton in an arithmetic, from the same key in all of them. */
export function outcomeOf(arithmetic: Arithmetic, params: NcaParams, target: Tensor): Outcome {
  const { dtype, stateDtype, rounding } = arithmetic
  const [height, width] = target.shape as [number, number]
  const seed = seedState({ shape: [height, width], channels: params.b2.size, dtype: stateDtype })
  const rule = { dtype, stateDtype, alive: {} } as const
  const run = (from: Tensor, seeded: number): Tensor => {
    const masks = fireMasks(key(seeded), { steps: last, shape: [height, width] })
    const options: NcaRolloutOptions = {
      ...{ ...rule, steps: last, masks, keep: 'all' },
      ...(rounding && { rounding, key: key(seeded + 100) }),
    }
    return compile((p: NcaParams, x: Tensor) => ncaRollout(p, x, options))(params, from)
  }
  const at = (states: Tensor, step: number): Tensor => slice(states, [step - 1])
  const growing = run(seed, 1)
  const hurt = damageCircle(at(growing, last), wound)
  const healing = run(hurt, 2)
  const states = [...grown.map((step) => at(growing, step)), hurt, ...healed.map((step) => at(healing, step))]
  let [lost, all] = [0, 0]
  for (let step = 8; step <= last; step += 8) {
    const { updates, stalled } = lostUpdates(params, at(growing, step), rule)
    lost += stalled
    all += updates
  }
  return { arithmetic, states, losses: states.map((state) => lossOf(state, target)), lost: lost / all }
}

/** The mean square of what red, green, blue and opacity are off. */
export function lossOf(state: Tensor, target: Tensor): number {
  const [values, wanted] = [state.toNumbers(), target.toNumbers()]
  const channels = state.shape.at(-1)!
  const total = wanted.reduce((sum, value, i) => {
    return sum + (values[Math.floor(i / 4) * channels + (i % 4)]! - value) ** 2
  }, 0)
  return total / wanted.length
}
