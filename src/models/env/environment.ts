import type { Key } from '../../tensors/random/index.js'
import type { Shape } from '../../tensors/tensor/index.js'

/** What a step leads to. */
export interface Transition<S> {
  readonly state: S
  readonly reward: number
  /** The episode is over: no value comes after `state`. */
  readonly terminated: boolean
  /** The episode was cut off, by a limit of steps or the end of the data: `state` still has a value. Never with `terminated`. */
  readonly truncated: boolean
}

/**
 * An environment as pure functions of state, action and key. A state is a plain record of numbers, so that it can be kept,
 * compared and written as JSON; the same state and action lead to the same bits.
 */
export interface Environment<S> {
  readonly observationShape: Shape
  /** Actions are 0, 1, ..., below this. */
  readonly actions: number
  /** The first state of an episode. */
  reset(key: Key): S
  /** Throws a RangeError for an action that is none, and for a state in which the episode is over. */
  step(state: S, action: number): Transition<S>
  /** What an agent sees of a state, flat. A view into what the environment keeps: to be read, not written. */
  observe(state: S): Float32Array
}
