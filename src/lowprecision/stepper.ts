import type { Point, State } from '../optimizer/index.js'
import type { Tree } from '../tree/index.js'

/**
 * An optimizer that makes whole steps, from parameters to parameters, because new ones are more than old ones plus
 * updates: it keeps something beside them, rounds them at random, or leaves a step out. Pure, as transformations are.
 */
export interface Stepper<S extends State = State> {
  /** Where training starts: the parameters as they are stored, and the state. */
  init(params: Tree): Point<S>
  /** One step. */
  step(grads: Tree, point: Point<S>): Point<S>
}
