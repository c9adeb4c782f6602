import { type Tensor, where } from '../../tensors/tensor/index.js'
import { leavesOf, replaceLeaves, type Tree, type Treelike } from '../../tensors/tree/index.js'
import { stateToTree } from '../stateTree.js'
import type { State } from '../transformation.js'

/** A state whose numbers and flags are tensors, as a recorded step takes it and gives it. */
export function recordedState<S extends State>(state: Tree | { readonly [name in keyof S]: State }): S {
  return state as State as S
}

/** One of two states of one structure, as trees of tensors, by a decision that is recorded. */
export function chooseState(flag: Tensor<'bool'>, yes: State, no: State): Tree {
  return chooseTree(flag, stateToTree(yes), stateToTree(no))
}

/** The same of trees of tensors. */
export function chooseTree<P extends Treelike>(flag: Tensor<'bool'>, yes: P, no: Treelike): P {
  const others = leavesOf(no)
  return replaceLeaves(
    yes,
    leavesOf(yes).map((x, i) => where(flag, x, others[i]!)),
  )
}
