import { checkInteger, checkOptions, type OptionTable } from '../../base/options/index.js'
import { add, equal, Tensor, where } from '../../tensors/tensor/index.js'
import type { Tree, Treelike } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkFlag, checkScalar } from '../arithmetic/checkScalar.js'
import type { Count } from '../arithmetic/count.js'
import { zeroUpdates } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { checkTransformation } from '../checkTransformation.js'
import {
  type ExtraArgs,
  type GradientTransformation,
  needParams,
  type Optimizer,
  type State,
} from '../transformation.js'
import { chooseState, chooseTree, recordedState } from './chooseState.js'

/** Parameters in pairs: gradients are taken at the fast ones, models are evaluated with the slow ones. */
export type LookaheadParams<P extends Treelike = Tree> = { readonly fast: P; readonly slow: P }

/** What `lookahead` gives: an optimizer whose gradients have the structure of `fast`, its updates that of the pair. */
export interface LookaheadOptimizer extends Optimizer<LookaheadState> {
  update<P extends Treelike>(
    grads: P,
    state: LookaheadState,
    params?: Treelike,
    extra?: ExtraArgs,
  ): readonly [updates: LookaheadParams<P>, state: LookaheadState]
}

/** The fast optimizer's state and the steps since both parameters met. */
export type LookaheadState = { readonly fastState: State; readonly stepsSinceSync: number }

/** How often and how far the slow parameters follow. */
export interface LookaheadOptions extends ArithmeticOption {
  /** Fast steps from one meeting to the next. */
  readonly syncPeriod: number
  /** The share of the way to the fast parameters that the slow ones go. */
  readonly slowStepSize: number
  /** Whether the fast optimizer forgets its state when they meet. Default: false. */
  readonly resetState?: boolean
}

/** The names of `LookaheadOptions`. */
export const lookaheadNames: OptionTable<LookaheadOptions> = {
  syncPeriod: 'required',
  slowStepSize: 'required',
  resetState: 'optional',
  ...arithmeticNames,
}

/**
 * Lookahead: `syncPeriod` steps of a fast optimizer, then one of the slow parameters towards them, from where both go
 * on. Parameters and updates are `{ fast, slow }`, gradients those of the fast ones.
 *
 * Source    Lookahead optimizer, arXiv:1907.08610
 *
 * @example lookahead(scale(-1), { syncPeriod: 2, slowStepSize: 0.5 }).init({ fast: [tensor(1)], slow: [tensor(1)] }).stepsSinceSync // 0
 */
export function lookahead(
  fastOptimizer: GradientTransformation,
  options: LookaheadOptions,
): LookaheadOptimizer {
  checkTransformation('lookahead', 'the fast optimizer', fastOptimizer)
  checkOptions('lookahead', options, lookaheadNames)
  checkFlag('lookahead', 'resetState', options.resetState)
  const { syncPeriod, slowStepSize, resetState = false } = options
  const a = arithmeticOf(options.arithmetic)
  checkInteger('lookahead', 'syncPeriod', syncPeriod, 1)
  checkScalar('lookahead', 'slowStepSize', slowStepSize)
  return {
    recordable: fastOptimizer.recordable === true,
    init: (params) => ({ fastState: fastOptimizer.init(pairOf(params).fast), stepsSinceSync: 0 }),
    update(updates, state, params, extra) {
      const { fast, slow } = pairOf(needParams('lookahead', params))
      const [step, fastState] = fastOptimizer.update(updates, state.fastState, fast, extra)
      const apart = { fast: step, slow: zeroUpdates(step) }
      const met = (): typeof apart => {
        const distance = leafwise('lookahead', [step, fast, slow], ([u, f, s]) => [
          a.sub(a.add(f!, u!), s!),
        ])[0]
        const [fastStep] = leafwise('lookahead', [step, distance], ([u, d]) => [
          a.sub(u!, a.mul(1 - slowStepSize, d!)),
        ])
        const [slowStep] = leafwise('lookahead', [distance], ([d]) => [a.mul(slowStepSize, d!)])
        return { fast: fastStep, slow: slowStep }
      }
      const since = state.stepsSinceSync as Count
      if (since instanceof Tensor) {
        const meets = equal(since, syncPeriod - 1)
        const stepsSinceSync = where(meets, 0, add(since, 1))
        const next = resetState ? chooseState(meets, fastOptimizer.init(fast), fastState) : fastState
        return [
          chooseTree(meets, met(), apart),
          recordedState<LookaheadState>({ fastState: next, stepsSinceSync }),
        ]
      }
      const stepsSinceSync = (since + 1) % syncPeriod
      if (since !== syncPeriod - 1) return [apart, { fastState, stepsSinceSync }]
      return [met(), { fastState: resetState ? fastOptimizer.init(fast) : fastState, stepsSinceSync }]
    },
  }
}

function pairOf(params: Treelike): LookaheadParams {
  if (typeof params !== 'object' || !('fast' in params) || !('slow' in params)) {
    throw new RangeError(`lookahead: parameters are not { fast, slow } [${Object.keys(params).join(', ')}]`)
  }
  return params as LookaheadParams
}
