import {
  checkArray,
  checkInteger,
  checkName,
  checkOptions,
  checkRecord,
  type OptionTable,
} from '../../base/options/index.js'
import { foldIn, type Key } from '../../tensors/random/index.js'
import { sizeOf } from '../../tensors/tensor/index.js'
import type { Environment } from './environment.js'

/**
 * What happens after the end of an episode. 'same-step': the step that ends it gives the first state of the next one, and the
 * last observation beside it. 'next-step': the step after it ignores its action, gives reward 0 and the first state (gymnasium
 * from 1.0). 'disabled': nothing; a step is refused until `reset`.
 */
export type Autoreset = 'same-step' | 'next-step' | 'disabled'

/** Options of `vectorEnv`. */
export interface VectorEnvOptions {
  readonly count: number
  /** Default 'same-step'. */
  readonly autoreset?: Autoreset
}

/** Where several environments stand: plain data. */
export interface VectorState<S> {
  readonly states: readonly S[]
  /** Episodes begun by each. */
  readonly episodes: readonly number[]
  /** Whether the next step begins an episode instead ('next-step'). */
  readonly waiting: readonly boolean[]
  readonly key: Key
}

/** What a step of several environments leads to, an element for each. */
export interface VectorTransition<S> {
  readonly state: VectorState<S>
  readonly rewards: Float64Array
  readonly terminated: Uint8Array
  readonly truncated: Uint8Array
  /** The state that the step really led to: where an episode ended its last one, not the next one's first. */
  readonly reached: readonly S[]
  /** 1 where the step was a reset, and its action ignored: no transition to train on. */
  readonly ignored: Uint8Array
}

/** Several environments of one kind. */
export interface VectorEnvironment<S> {
  readonly env: Environment<S>
  readonly count: number
  /** All of them begun anew, each by a key of its own. */
  reset(key: Key): VectorState<S>
  /** Throws a RangeError for actions of another number. */
  step(state: VectorState<S>, actions: ArrayLike<number>): VectorTransition<S>
  /** The observations of all environments, concatenated. */
  observe(states: readonly S[]): Float32Array
}

const vectorEnvNames: OptionTable<VectorEnvOptions> = { count: 'required', autoreset: 'optional' }
const autoresets: readonly Autoreset[] = ['same-step', 'next-step', 'disabled']

/**
 * Several environments stepped together, as pure functions too. Episode e of environment i draws from the key folded with i,
 * then with e, so that no environment depends on how many there are or on how long another's episodes were.
 *
 * Shape     `observe` of n states [n, size of an observation], flat.
 * Throws    RangeError for a count that is not an integer from 1, and unknown autoresets.
 *
 * @example vectorEnv(cartPole(), { count: 2 }).reset(random.key(0)).episodes // [1, 1]
 */
export function vectorEnv<S>(env: Environment<S>, options: VectorEnvOptions): VectorEnvironment<S> {
  checkRecord('vectorEnv', 'the environment', env, [
    'reset',
    'step',
    'observe',
    'observationShape',
    'actions',
  ])
  checkOptions('vectorEnv', options, vectorEnvNames, { positional: 'count' })
  const { count, autoreset = 'same-step' } = options
  checkInteger('vectorEnv', 'count', count, 1)
  checkName('vectorEnv', 'autoreset', autoreset, autoresets)
  checkArray('vectorEnv', 'observationShape', env.observationShape)
  const size = sizeOf(env.observationShape)

  function step(state: VectorState<S>, actions: ArrayLike<number>): VectorTransition<S> {
    checkRecord('vectorEnv: step', 'state', state, ['states', 'episodes', 'waiting', 'key'])
    checkArray('vectorEnv: step', 'actions', actions)
    if (actions.length !== count) {
      throw new RangeError(
        `vectorEnv: step: not an action for each environment [${actions.length} of ${count}]`,
      )
    }
    const states = [...state.states]
    const episodes = [...state.episodes]
    const waiting = [...state.waiting]
    const reached: S[] = []
    const [terminated, truncated, ignored] = [
      new Uint8Array(count),
      new Uint8Array(count),
      new Uint8Array(count),
    ]
    const rewards = new Float64Array(count)
    const begin = (i: number): S => {
      const first = env.reset(episodeKey(state.key, i, episodes[i]!))
      episodes[i]!++
      return first
    }
    for (let i = 0; i < count; i++) {
      if (waiting[i]) {
        waiting[i] = false
        ignored[i] = 1
        states[i] = begin(i)
        reached.push(states[i]!)
        continue
      }
      const next = env.step(states[i]!, actions[i]!)
      reached.push(next.state)
      rewards[i] = next.reward
      terminated[i] = Number(next.terminated)
      truncated[i] = Number(next.truncated)
      const over = next.terminated || next.truncated
      states[i] = over && autoreset === 'same-step' ? begin(i) : next.state
      waiting[i] = over && autoreset === 'next-step'
    }
    return {
      state: { states, episodes, waiting, key: state.key },
      rewards,
      terminated,
      truncated,
      reached,
      ignored,
    }
  }

  return {
    env,
    count,
    reset: (key) => ({
      states: Array.from({ length: count }, (_, i) => env.reset(episodeKey(key, i, 0))),
      episodes: Array.from({ length: count }, () => 1),
      waiting: Array.from({ length: count }, () => false),
      key,
    }),
    step,
    observe(states) {
      checkArray('vectorEnv: observe', 'states', states)
      const out = new Float32Array(states.length * size)
      for (const [i, state] of states.entries()) out.set(env.observe(state), i * size)
      return out
    },
  }
}

const episodeKey = (key: Key, i: number, episode: number): Key => foldIn(foldIn(key, i), episode)
