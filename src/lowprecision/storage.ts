import type { ArithmeticOption } from '../optimizer/index.js'
import { applyUpdates } from '../optimizer/index.js'
import { add, cast, type FloatDType, isFinite, sub, type Tensor, where, zeros } from '../tensor/index.js'
import { leavesOf, mapTree, replaceLeaves, type Tree } from '../tree/index.js'
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
export function castTree(tree: Tree, dtype: FloatDType): Tree {
  return mapTree((leaf) => cast(leaf, dtype), tree)
}

/** Parameters in their dtype plus updates in a wider one, rounded to the wider one. */
function wideSum(params: Tree, updates: Tree, wide: FloatDType, options: ArithmeticOption): Tree {
  return applyUpdates(castTree(params, wide), updates, options)
}

/** 'nearest': the sum, rounded to the parameters' dtype. */
export function addToNearest(
  params: Tree,
  updates: Tree,
  dtype: FloatDType,
  wide: FloatDType,
  options: ArithmeticOption,
): Tree {
  return castTree(wideSum(params, updates, wide, options), dtype)
}

/** 'stochastic': the sum, rounded to the parameters' dtype by the words of this step. */
export function addAtRandom(
  params: Tree,
  updates: Tree,
  dtype: FloatDType,
  wide: FloatDType,
  step: number,
  words: RandomWords,
  options: ArithmeticOption,
): Tree {
  const sums = leavesOf(wideSum(params, updates, wide, options))
  return replaceLeaves(
    params,
    sums.map((sum, leaf) =>
      cast(sum, dtype, { rounding: 'stochastic', random: source(words(step, leaf, sum.size)) }),
    ),
  )
}

/** 'kahan': the new parameters and the new compensation, both in the parameters' dtype. */
export function addCompensated(
  params: Tree,
  compensation: Tree,
  updates: Tree,
  dtype: FloatDType,
  wide: FloatDType,
  options: ArithmeticOption,
): readonly [params: Tree, compensation: Tree] {
  const pending = castTree(wideSum(compensation, updates, wide, options), dtype)
  const next = mapTree((p, c: Tensor) => add(p, c), params, pending)
  const left = mapTree(
    (p, c: Tensor, n: Tensor) => {
      const rest = add(c, sub(p, n))
      // Past the largest number there is nothing to make good: Inf - Inf would be NaN one step later.
      const finite = isFinite(n)
      return finite.data.includes(0) ? where(finite, rest, zeros([], { dtype })) : rest
    },
    params,
    pending,
    next,
  )
  return [next, left]
}
