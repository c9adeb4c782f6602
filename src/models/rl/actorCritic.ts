import type { Key } from '../../tensors/random/index.js'
import type { Tensor } from '../../tensors/tensor/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import type { Outputs } from './ppoLoss.js'

/** A policy and a value function as one network: fresh parameters of a key, and what it says of observations. */
export interface ActorCritic<P extends Treelike = Treelike> {
  /** Fresh parameters. */
  init(key: Key): P
  /** Observations [n, ...] to logits [n, actions] and values [n]; every row by itself. */
  apply(params: P, observations: Tensor): Outputs
}
