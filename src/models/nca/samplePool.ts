import { checkInteger, shown } from '../../base/options/index.js'
import { choice, type Key } from '../../tensors/random/index.js'
import { broadcastTo, concat, expandDims, sameShape, type Tensor, take } from '../../tensors/tensor/index.js'
import { checkState } from './perceive.js'

/**
 * States to train from, so that an automaton learns to keep what it has grown: a batch is drawn, run and put back. A pool is a
 * value: what is put back makes another pool.
 *
 * @example SamplePool.of(zeros([3, 3, 4]), 16).states.shape // [16, 3, 3, 4]
 */
export class SamplePool {
  /** All states: [size, ...]. */
  readonly states: Tensor

  /** A pool of these states, [size, ...]: as they were saved, say. */
  constructor(states: Tensor) {
    checkState('SamplePool', states)
    if (states.rank < 3 || states.shape[0] === 0) {
      throw new RangeError(
        `SamplePool: these are no states of cells with channels [${states.shape.join(', ')}]`,
      )
    }
    this.states = states
    Object.freeze(this)
  }

  /** A pool of so many times the same state. */
  static of(state: Tensor, size: number): SamplePool {
    checkState('SamplePool', state)
    checkInteger('SamplePool', 'size', size, 1)
    return new SamplePool(broadcastTo(expandDims(state, 0), [size, ...state.shape]))
  }

  /** How many states there are. */
  get size(): number {
    return this.states.shape[0]!
  }

  /** Different places in the pool, n of them. */
  sample(key: Key, n: number): readonly number[] {
    checkInteger('SamplePool', 'n', n, 1, this.size)
    return Array.from(choice(key, this.size, n, { replace: false }))
  }

  /** The states at these places, [places, ...]. */
  at(places: readonly number[]): Tensor {
    this.#check(places)
    return take(this.states, places, { axis: 0 })
  }

  /** A pool with these states at these places. */
  with(places: readonly number[], states: Tensor): SamplePool {
    this.#check(places)
    checkState('SamplePool', states)
    const { dtype, shape } = this.states
    if (states.dtype !== dtype) {
      throw new TypeError(
        `SamplePool: states are of another dtype, cast first [${states.dtype}, pool ${dtype}]`,
      )
    }
    if (!sameShape(states.shape, [places.length, ...shape.slice(1)])) {
      throw new RangeError(
        `SamplePool: states are not those of ${places.length} places [${states.shape.join(', ')}, pool ${shape.join(', ')}]`,
      )
    }
    const rows = Array.from({ length: this.size }, (_, i) => i)
    places.forEach((place, i) => {
      rows[place] = this.size + i
    })
    return new SamplePool(take(concat([this.states, states]), rows, { axis: 0 }))
  }

  #check(places: readonly number[]): void {
    if (!Array.isArray(places) || places.length === 0) {
      throw new RangeError(`SamplePool: places are not a list of whole numbers [${shown(places)}]`)
    }
    for (const place of places) checkInteger('SamplePool', 'a place', place, 0, this.size - 1)
    if (new Set(places).size !== places.length) {
      throw new RangeError(`SamplePool: a place is named twice [${places.join(', ')}]`)
    }
  }
}
