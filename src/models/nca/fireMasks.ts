import {
  checkArray,
  checkInteger,
  checkNumber,
  checkOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { foldIn, type Key, uniform } from '../../tensors/random/index.js'
import { fromBits, type Shape, sizeOf, type Tensor } from '../../tensors/tensor/index.js'

/** Options of `fireMasks`. */
export interface FireMasksOptions {
  /** How many steps. */
  readonly steps: number
  /** Of the cells: the shape of the state without its channels. */
  readonly shape: Shape
  /** The share of the cells that change in a step. Default 0.5. */
  readonly fireRate?: number
}

const names: OptionTable<FireMasksOptions> = { steps: 'required', shape: 'required', fireRate: 'optional' }

/**
 * Which cells change in each step, every one by a draw of its own: those whose draw is at most `fireRate`. A compiled rollout is
 * given them, since what is drawn inside of a program stays what it was.
 *
 * Shape     [steps, ...shape], bool; a step's draws are those of `foldIn(key, step)`, whatever the number of steps.
 * Source    A. Mordvintsev et al., Growing neural cellular automata, doi:10.23915/distill.00023
 *
 * @example fireMasks(random.key(0), { steps: 2, shape: [3], fireRate: 1 }).toNested() // [[true,true,true],[true,true,true]]
 */
export function fireMasks(key: Key, options: FireMasksOptions): Tensor<'bool'> {
  checkOptions('fireMasks', options, names, { positional: 'steps' })
  const { steps, shape, fireRate = 0.5 } = options
  checkInteger('fireMasks', 'steps', steps, 0)
  checkNumber('fireMasks', 'fireRate', fireRate, 0, 1)
  checkArray('fireMasks', 'shape', shape)
  for (const size of shape) checkInteger('fireMasks', 'a size of shape', size, 0)
  const cells = sizeOf(shape)
  checkInteger('fireMasks', 'the number of masks, steps times cells,', steps * cells, 0, 2 ** 31)
  const fires = new Uint8Array(steps * cells)
  const draws = new Float32Array(cells)
  for (let step = 0; step < steps; step++) {
    uniform(foldIn(key, step), cells, { out: draws })
    for (let i = 0; i < cells; i++) fires[step * cells + i] = draws[i]! <= fireRate ? 1 : 0
  }
  return fromBits(fires, { shape: [steps, ...shape], dtype: 'bool' })
}
