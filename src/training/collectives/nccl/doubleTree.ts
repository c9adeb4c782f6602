import type { NcclReduction } from './ncclOptions.js'

/** A replica, and those whose partial sums it adds to its own elements, in this order. */
export interface TreeNode {
  readonly replica: number
  readonly children: readonly TreeNode[]
}

/** A node of replicas in the tree of nodes; undefined children are not there. */
interface Machine {
  readonly at: number
  readonly lower: Machine | undefined
  readonly higher: Machine | undefined
}

/**
 * The tree of NCCL's channels: the first of the two, or the second, whose inner nodes are leaves of the first, so that with
 * both every node sends and receives alike.
 */
export function doubleTree(replicas: number, { perNode, pattern }: NcclReduction, second: boolean): TreeNode {
  const count = replicas / perNode
  // Node 0 is the root, with one child.
  const root: Machine = { at: 0, lower: undefined, higher: between(0, count) }
  const renamed = (n: number): number => {
    if (!second) return n
    return count % 2 === 0 ? count - 1 - n : (n + 1) % count
  }
  const lowerAt = pattern === 'tree' ? 0 : 1
  const higherAt = pattern === 'split' ? 1 : 0
  const chainOf = ({ at, lower, higher }: Machine): TreeNode => {
    let below: TreeNode | undefined
    for (let i = perNode - 1; i >= 0; i--) {
      const children = below ? [below] : []
      if (lower && i === lowerAt) children.push(chainOf(lower))
      if (higher && i === higherAt) children.push(chainOf(higher))
      below = { replica: renamed(at) * perNode + i, children }
    }
    return below!
  }
  return chainOf(root)
}

/** The tree of the nodes that are strictly between two: its root splits them at the largest power of two. */
function between(low: number, high: number): Machine | undefined {
  const count = high - low - 1
  if (count < 1) return undefined
  const at = low + 2 ** (31 - Math.clz32(count))
  return { at, lower: between(low, at), higher: between(at, high) }
}
