import { isFinite as areFinite } from '../../tensor/index.js'
import { leavesOf, type Treelike } from '../../tree/index.js'

/** Whether no leaf holds a NaN or an infinity. */
export function allFinite(tree: Treelike): boolean {
  return leavesOf(tree).every((leaf) => !areFinite(leaf).data.includes(0))
}
