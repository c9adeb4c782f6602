import { isNaN as isNaNs, max, type Tensor, tensor, where, zeros } from '../../tensors/tensor/index.js'
import { leavesOf, mapTree, replaceLeaves, type Tree, type Treelike } from '../../tensors/tree/index.js'
import { areRecorded } from '../arithmetic/recorded.js'
import type { GradientTransformation } from '../transformation.js'

/** Whether each leaf had a NaN in the last step: booleans of dtype bool. */
export type ZeroNansState = { readonly foundNan: Tree }

/**
 * NaN elements replaced by +0; Inf stays. The state tells where there were any, of the last step only.
 *
 * @example tree.leavesOf(zeroNans().update([tensor([NaN, 2])], { foundNan: [] })[0])[0].toNested() // [0, 2]
 */
export function zeroNans(): GradientTransformation<ZeroNansState> {
  return {
    fusion: { kind: 'zeroNans' },
    recordable: true,
    init: (params) => ({
      foundNan: foundNan(
        params,
        leavesOf(params).map(() => false),
      ),
    }),
    update(updates) {
      const leaves = leavesOf(updates)
      if (areRecorded(...leaves)) {
        // NaN wins in max.
        const found = leaves.map((g) => (g.size === 0 ? tensor(0, { dtype: 'bool' }) : isNaNs(max(g))))
        return [
          mapTree((g): Tensor => zeroedWhere(isNaNs(g), g), updates),
          { foundNan: replaceLeaves(updates, found) as Tree },
        ]
      }
      const nans = leaves.map((g) => isNaNs(g))
      const found = nans.map(({ data }) => data.includes(1))
      const zeroed = leaves.map((g, i): Tensor => (found[i] ? zeroedWhere(nans[i]!, g) : g))
      return [replaceLeaves(updates, zeroed), { foundNan: foundNan(updates, found) }]
    },
  }
}

/** The state after a step in which these leaves, in order, had a NaN. */
export function foundNan(tree: Treelike, found: readonly boolean[]): Tree {
  const leaves = found.map((yes): Tensor => tensor(yes ? 1 : 0, { dtype: 'bool' }))
  return replaceLeaves(tree, leaves) as Tree
}

function zeroedWhere(nans: Tensor<'bool'>, g: Tensor): Tensor {
  return where(nans, zeros([], { dtype: g.dtype }), g)
}
