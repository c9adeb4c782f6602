import { type Compiled, compile } from '../../tensors/compile/index.js'
import { leavesOf, type Tree, type Treelike } from '../../tensors/tree/index.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { areRecorded } from '../arithmetic/recorded.js'
import { stateFromTree, stateToTree } from '../stateTree.js'
import type { Optimizer, State } from '../transformation.js'
import { applyUpdates } from './applyUpdates.js'
import { type ApplyGradientsOptions, checkApart, type Point } from './point.js'
import { withTensorState } from './withTensorState.js'

type Update = Compiled<[params: Treelike, state: Tree, grads: Treelike], Point<Tree, Treelike>>

/** Steps of one optimizer over leaves of some dtypes and shapes: how many there were, and the program of the next. */
interface Known {
  steps: number
  update: Update | undefined
}

const programs = new WeakMap<Optimizer, Map<string, Known>>()

/** An optimizer that sees more kinds of trees than this is not worth programs. */
const most = 4

/**
 * A step as one program, from the second one over leaves of the same dtypes and shapes on: the first says nothing of others to come.
 * Undefined where the optimizer looks at elements or skips most of a step, or somebody sees or asks for something that a program has not.
 */
export function compiledUpdate<S extends State, P extends Treelike>(
  optimizer: Optimizer<S>,
  grads: Treelike,
  { params, state }: Point<S, P>,
  options: ApplyGradientsOptions,
): Point<S, P> | undefined {
  if (!optimizer.recordable || optimizer.skips || options.engine === 'plain') return undefined
  const leaves = leavesOf(params)
  if (areRecorded(...leaves, ...leavesOf(grads))) return undefined
  const { donate = false } = options
  const exact = chosen(options, arithmeticNames)
  const kind = `${donate} ${exact.arithmetic}${leaves.map(({ dtype, shape }) => ` ${dtype} ${shape}`)}`
  const kinds = programs.get(optimizer) ?? new Map<string, Known>()
  programs.set(optimizer, kinds)
  const known = kinds.get(kind) ?? { steps: 0, update: undefined }
  if (known.steps++ === 0) {
    if (kinds.size < most) kinds.set(kind, known)
    return undefined
  }
  known.update ??= compile(
    (point: Treelike, before: Tree, slopes: Treelike) => {
      const [updates, next] = withTensorState(optimizer).update(slopes, before, point)
      return { params: applyUpdates(point, updates, exact), state: next }
    },
    donate ? { donate: [0, 1] } : {},
  )
  const tree = stateToTree(state)
  if (donate) checkApart([...leaves, ...leavesOf(tree)])
  const next = known.update(params, tree, grads)
  return { params: next.params as P, state: stateFromTree(next.state, state) }
}
