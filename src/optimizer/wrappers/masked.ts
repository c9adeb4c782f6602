import { checkTransformation } from '../checkTransformation.js'
import type { Mask } from '../mask.js'
import type { GradientTransformation, State } from '../transformation.js'
import { keptLeaves } from './keptLeaves.js'
import { merge, select } from './select.js'

/** The state of a masked transform: that of the inner one over the leaves it sees. */
export type MaskedState = { readonly inner: State }

/**
 * A transform that sees only the leaves where the mask is true; the others pass unchanged, and have no state: an empty
 * object stands for them. A mask that is a function is asked for the parameters in `init`, for the updates in `update`.
 *
 * @example tree.leavesOf(masked(scale(2), [true, false]).update([tensor(1), tensor(1)], { inner: {} })[0]).map((x) => x.item()) // [2, 1]
 */
export function masked(inner: GradientTransformation, mask: Mask): GradientTransformation<MaskedState> {
  checkTransformation('masked', 'the inner one', inner)
  return {
    recordable: inner.recordable === true,
    init: (params) => ({ inner: inner.init(select(params, keptLeaves('masked', mask, params))) }),
    update(updates, state, params, extra) {
      const kept = keptLeaves('masked', mask, updates)
      const seen = params === undefined ? undefined : select(params, kept)
      const [changed, next] = inner.update(select(updates, kept), state.inner, seen, extra)
      return [merge(updates, kept, changed), { inner: next }]
    },
  }
}
