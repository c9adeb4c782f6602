import { add, cast, equal, isFloat, notEqual, type Tensor } from '../../tensors/tensor/index.js'
import { checkSameTree, leavesOf, type Treelike } from '../../tensors/tree/index.js'

/** How many updates there are, and how many of them change nothing. */
export interface StallCount {
  /** Elements whose update is not 0. */
  readonly updates: number
  /** The updates among them that leave the parameter unchanged. */
  readonly stalled: number
  /** stalled / updates, 0 where there are none. */
  readonly share: number
}

/**
 * Counts updates too small for their parameters: not 0, but p + u rounded to p's dtype is p, since u is under half an
 * ulp of p (or just half). Stored to nearest, such parameters stall however many updates say the same.
 *
 * @example stalledUpdates([tensor([1, 1, 1], { dtype: 'bfloat16' })], [tensor([0, 0.001, 0.1])]) // { updates: 2, stalled: 1, share: 0.5 }
 */
export function stalledUpdates(params: Treelike, updates: Treelike): StallCount {
  checkSameTree('stalledUpdates', params, updates)
  const beside = leavesOf(updates)
  let [all, stalled] = [0, 0]
  leavesOf(params).forEach((p, leaf) => {
    const u = beside[leaf]!
    check(p, u)
    const moves = notEqual(u, 0).data
    // Exact where it matters: float64 has more than twice the bits of any narrower dtype.
    const next = cast(add(cast(p, 'float64'), cast(u, 'float64')), p.dtype)
    const same = equal(next, p).data
    for (let i = 0; i < moves.length; i++) {
      if (moves[i] === 0) continue
      all += 1
      stalled += same[i] as number
    }
  })
  return { updates: all, stalled, share: all === 0 ? 0 : stalled / all }
}

function check(p: Tensor, u: Tensor): void {
  for (const { dtype } of [p, u]) {
    if (!isFloat(dtype)) {
      throw new TypeError(`stalledUpdates: needs floating-point dtypes, cast first [${dtype}]`)
    }
  }
  if (p.shape.join() !== u.shape.join()) {
    throw new RangeError(`stalledUpdates: shapes differ [${p.shape.join(', ')} and ${u.shape.join(', ')}]`)
  }
}
