import type { ArithmeticOption } from '../../optimizer/index.js'
import { applyUpdates } from '../../optimizer/index.js'
import {
  add,
  cast,
  type FloatDType,
  isFinite,
  sub,
  type Tensor,
  where,
  zeros,
} from '../../tensors/tensor/index.js'
import { leavesOf, mapTree, replaceLeaves, type Tree, type Treelike } from '../../tensors/tree/index.js'
import { type RandomWords, source } from './randomWords.js'

/**
 * How low-precision parameters take an update u, computed in the optimizer's dtype:
 * 'nearest': p' = round(p + u); what is under half an ulp is lost.
 * 'master': a copy M in the optimizer's dtype, M' = M + u and p' = round(M').
 * 'kahan': a second number c of the same dtype has what p could not take: c' = round(c + u), p' = p + c', and what that
 * sum rounded away stays in c.
 * 'stochastic': p' = p + u rounded up or down at random, right on average.
 */
export type StorageMode = 'nearest' | 'master' | 'kahan' | 'stochastic'

/** Every leaf in a dtype. */
export function castTree<P extends Treelike>(tree: P, dtype: FloatDType): P {
  return mapTree((leaf): Tensor => cast(leaf, dtype), tree)
}

/** Parameters in their dtype plus updates in a wider one, rounded to the wider one. */
function wideSum<P extends Treelike>(
  params: P,
  updates: Treelike,
  wide: FloatDType,
  options: ArithmeticOption,
): P {
  return applyUpdates(castTree(params, wide), updates, options)
}

/** 'nearest': the sum, rounded to the parameters' dtype. */
export function addToNearest<P extends Treelike>(
  params: P,
  updates: Treelike,
  dtype: FloatDType,
  wide: FloatDType,
  options: ArithmeticOption,
): P {
  return castTree(wideSum(params, updates, wide, options), dtype)
}

/** 'stochastic': the sum, rounded to the parameters' dtype by the words of this step. */
export function addAtRandom<P extends Treelike>(
  params: P,
  updates: Treelike,
  dtype: FloatDType,
  wide: FloatDType,
  step: number,
  words: RandomWords,
  options: ArithmeticOption,
): P {
  const sums = leavesOf(wideSum(params, updates, wide, options))
  return replaceLeaves(
    params,
    sums.map(
      (sum, leaf): Tensor =>
        cast(sum, dtype, { rounding: 'stochastic', random: source(words(step, leaf, sum.size)) }),
    ),
  )
}

/** 'kahan': the new parameters and the new compensation, both in the parameters' dtype. */
export function addCompensated<P extends Treelike>(
  params: P,
  compensation: Tree,
  updates: Treelike,
  dtype: FloatDType,
  wide: FloatDType,
  options: ArithmeticOption,
): readonly [params: P, compensation: Tree] {
  const pending = castTree(wideSum(compensation, updates, wide, options), dtype)
  const next = mapTree((p, c): Tensor => add(p, c), params, pending)
  const [before, after] = [leavesOf(params), leavesOf(next)]
  const left = replaceLeaves(
    pending,
    leavesOf(pending).map((c, i) => {
      const rest = add(c, sub(before[i]!, after[i]!))
      // Past the largest number there is nothing to make good: Inf - Inf would be NaN one step later.
      const finite = isFinite(after[i]!)
      return finite.data.includes(0) ? where(finite, rest, zeros([], { dtype })) : rest
    }),
  )
  return [next, left]
}
