import type { Point, State } from '../../optimizer/index.js'
import type { Tensor } from '../../tensors/tensor/index.js'
import type { OfTensors, Replaced, Treelike } from '../../tensors/tree/index.js'

/**
 * An optimizer that makes whole steps, from parameters to parameters, because new ones are more than old ones plus
 * updates: it keeps additional state, rounds stochastically, or skips a step. Pure, as transformations are.
 */
export interface Stepper<S extends State = State> {
  /** Where training starts: the parameters as they are stored, in their structure, and the state. */
  init<P extends Treelike>(params: P & OfTensors<P>): Point<S, Replaced<P, Tensor>>
  /** One step. */
  step<P extends Treelike>(grads: Treelike, point: Point<S, P>): Point<S, P>
}
