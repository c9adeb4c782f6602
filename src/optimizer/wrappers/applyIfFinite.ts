import { checkInteger } from '../../base/options/index.js'
import { greater, logicalOr, Tensor, where } from '../../tensors/tensor/index.js'
import { allFinite, recordedFinite } from '../arithmetic/allFinite.js'
import { type Count, nextCount } from '../arithmetic/count.js'
import { zeroUpdates } from '../arithmetic/fullLike.js'
import { checkTransformation } from '../checkTransformation.js'
import type { GradientTransformation, State } from '../transformation.js'
import { chooseState, chooseTree, recordedState } from './chooseState.js'

/** How often updates were not finite, and the inner state. */
export type ApplyIfFiniteState = {
  /** Bad steps in a row until now. */
  readonly notfiniteCount: number
  readonly lastFinite: boolean
  readonly totalNotfinite: number
  readonly innerState: State
}

/**
 * Skips steps whose gradients are not all finite: zero updates, inner state untouched. After more than
 * `maxConsecutiveErrors` of them in a row the bad ones are applied, until a finite one comes.
 *
 * @example applyIfFinite(scale(2), 3).update([tensor([NaN])], applyIfFinite(scale(2), 3).init([tensor([0])]))[1].notfiniteCount // 1
 */
export function applyIfFinite(
  inner: GradientTransformation,
  maxConsecutiveErrors: number,
): GradientTransformation<ApplyIfFiniteState> {
  checkTransformation('applyIfFinite', 'the inner one', inner)
  checkInteger('applyIfFinite', 'maxConsecutiveErrors', maxConsecutiveErrors, 0)
  return {
    recordable: inner.recordable === true,
    init: (params) => ({
      notfiniteCount: 0,
      lastFinite: true,
      totalNotfinite: 0,
      innerState: inner.init(params),
    }),
    update(updates, state, params, extra) {
      const count = state.notfiniteCount as Count
      if (count instanceof Tensor) {
        const isGood = recordedFinite(updates)
        const [changed, innerState] = inner.update(updates, state.innerState, params, extra)
        const total: Count = nextCount(state.totalNotfinite)
        const inARow = where(isGood, 0, nextCount(count))
        const applies = logicalOr(isGood, greater(inARow, maxConsecutiveErrors))
        return [
          chooseTree(applies, changed, zeroUpdates(updates)),
          recordedState<ApplyIfFiniteState>({
            notfiniteCount: inARow,
            lastFinite: isGood,
            totalNotfinite: chooseState(isGood, state.totalNotfinite, total),
            innerState: chooseState(applies, innerState, state.innerState),
          }),
        ]
      }
      const lastFinite = allFinite(updates)
      const notfiniteCount = lastFinite ? 0 : nextCount(state.notfiniteCount)
      const totalNotfinite = lastFinite ? state.totalNotfinite : nextCount(state.totalNotfinite)
      const apply = lastFinite || notfiniteCount > maxConsecutiveErrors
      const [changed, innerState] = apply
        ? inner.update(updates, state.innerState, params, extra)
        : [zeroUpdates(updates), state.innerState]
      return [changed, { notfiniteCount, lastFinite, totalNotfinite, innerState }]
    },
  }
}
