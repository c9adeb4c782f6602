import { isFinite as areFinite } from '../../tensor/index.js'
import { leavesOf, type Tree } from '../../tree/index.js'

/** Whether no leaf holds a NaN or an infinity. */
export function allFinite(tree: Tree): boolean {
  return leavesOf(tree).every((leaf) => !areFinite(leaf).data.includes(0))
}
