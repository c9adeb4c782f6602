import type { Tree, Treelike } from '../../tensors/tree/index.js'
import { checkTransformation } from '../checkTransformation.js'
import { stateFromTree, stateToTree } from '../stateTree.js'
import type { GradientTransformation, Optimizer } from '../transformation.js'

/**
 * The same transformation with a state of tensors alone: counts are int32 tensors and flags bool ones, as `stateToTree` writes
 * them and as optax keeps them. So a whole step, its state among the arguments, is one function of tensors, for `compile`.
 *
 * Rounding  as the transformation: the same updates, bit for bit. A schedule is asked at every step, inside of a program too.
 * Throws    recorded: TypeError where the transformation looks at elements, or at a count to decide what to do, naming the line:
 *           wrappers that skip steps, line searches, and transforms of one's own that count.
 *
 * @example withTensorState(scaleBySchedule((step) => step + 2)).update([tensor([3])], { count: tensor(1, { dtype: 'int32' }) })[1].count.item() // 2
 */
export function withTensorState(inner: GradientTransformation): GradientTransformation<Tree>
export function withTensorState(inner: Optimizer): Optimizer<Tree>
export function withTensorState(inner: Optimizer): Optimizer<Tree> {
  checkTransformation('withTensorState', 'the inner one', inner)
  const init = (params: Treelike): Tree => stateToTree(inner.init(params))
  return {
    recordable: inner.recordable === true,
    init,
    update(updates, state, params, extra) {
      if (inner.recordable) {
        const [changed, next] = inner.update(updates, state, params, extra)
        return [changed, stateToTree(next)]
      }
      const like = inner.init(params ?? updates)
      const [changed, next] = inner.update(updates, stateFromTree(state, like), params, extra)
      return [changed, stateToTree(next)]
    },
  }
}
