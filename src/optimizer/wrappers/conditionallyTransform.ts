import { checkFunction } from '../../base/options/index.js'
import { nextCount } from '../arithmetic/count.js'
import { zeroUpdates } from '../arithmetic/fullLike.js'
import { checkTransformation } from '../checkTransformation.js'
import type { ExtraArgs, GradientTransformation, State } from '../transformation.js'

/** Whether a transform acts, by the steps done before this one and the extra arguments of `update`. */
export type Condition = (step: number, extra: ExtraArgs) => boolean

/** Steps done, and the inner state. */
export type ConditionalState = { readonly step: number; readonly innerState: State }

/**
 * A transform that acts only at steps where the condition holds; at others updates pass unchanged and its state stays.
 *
 * @example tree.leavesOf(conditionallyTransform(scale(2), (step) => step > 5).update([tensor([3])], { step: 6, innerState: {} })[0])[0].item() // 6
 */
export function conditionallyTransform(
  inner: GradientTransformation,
  shouldTransform: Condition,
): GradientTransformation<ConditionalState> {
  return conditional('conditionallyTransform', inner, shouldTransform, (updates) => updates)
}

/**
 * `conditionallyTransform` with updates of zeros where the condition does not hold.
 *
 * @example tree.leavesOf(conditionallyMask(scale(2), (step) => step > 5).update([tensor([3])], { step: 0, innerState: {} })[0])[0].item() // 0
 */
export function conditionallyMask(
  inner: GradientTransformation,
  shouldTransform: Condition,
): GradientTransformation<ConditionalState> {
  return conditional('conditionallyMask', inner, shouldTransform, zeroUpdates)
}

function conditional(
  op: string,
  inner: GradientTransformation,
  shouldTransform: Condition,
  otherwise: typeof zeroUpdates,
): GradientTransformation<ConditionalState> {
  checkTransformation(op, 'the inner one', inner)
  checkFunction(op, 'shouldTransform', shouldTransform)
  return {
    init: (params) => ({ step: 0, innerState: inner.init(params) }),
    update(updates, state, params, extra) {
      const [changed, innerState] = shouldTransform(state.step, extra ?? {})
        ? inner.update(updates, state.innerState, params, extra)
        : [otherwise(updates), state.innerState]
      return [changed, { step: nextCount(state.step), innerState }]
    },
  }
}
