import { sameShape, type Tensor } from '../../tensor/index.js'
import { checkSameTree, pathsOf, type Tree } from '../../tree/index.js'

/**
 * The leaves of a tree that must be like another leaf by leaf: `what` (a cotangent, a tangent) like `model` (a result, a primal).
 * TypeError for another dtype, RangeError for another structure or shape.
 */
export function checkLike(op: string, what: string, model: string, of: unknown, given: unknown): Tensor[] {
  checkSameTree(op, of, given)
  const expected = pathsOf(of as Tree)
  return pathsOf(given as Tree).map(({ leaf, path }, i) => {
    const { dtype, shape } = expected[i]!.leaf
    const where = path && ` at ${path}`
    if (leaf.dtype !== dtype) {
      throw new TypeError(
        `${op}: the ${what} has another dtype than the ${model}${where} [${leaf.dtype}, not ${dtype}]`,
      )
    }
    if (!sameShape(leaf.shape, shape)) {
      throw new RangeError(
        `${op}: the ${what} has another shape than the ${model}${where} [${leaf.shape.join(', ')}, not ${shape.join(', ')}]`,
      )
    }
    return leaf
  })
}
