import { checkFunction, checkInteger, checkOptions, type OptionTable } from '../../base/options/index.js'
import {
  add,
  isFinite as areFinite,
  cast,
  equal,
  type FloatDType,
  full,
  Tensor,
  where,
  zeros,
} from '../../tensors/tensor/index.js'
import { mapTree, type Tree, type Treelike } from '../../tensors/tree/index.js'
import { allFinite, recordedFinite } from '../arithmetic/allFinite.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkDtype, checkFlag } from '../arithmetic/checkScalar.js'
import { atCount, type Count, countOp, nextCount } from '../arithmetic/count.js'
import { zerosLike, zeroUpdates } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { inDtype, type Scalar } from '../arithmetic/operand.js'
import { constantOf } from '../arithmetic/scheduled.js'
import { checkTransformation } from '../checkTransformation.js'
import type { GradientTransformation, State } from '../transformation.js'
import { chooseState, chooseTree, recordedState } from './chooseState.js'
import type { SkipCondition } from './skipLargeUpdates.js'

/** How gradients are accumulated. */
export interface MultiStepsOptions extends ArithmeticOption {
  /** The running mean of the gradients, or their sum. Default: true. */
  readonly useGradMean?: boolean
  /** Whether a gradient that is not finite is ignored, as if it had not come. Default: false. */
  readonly skipNotFinite?: boolean
  /** Whether a gradient is ignored, as `skipLargeUpdates(bound)` says. Default: none is. */
  readonly shouldSkip?: SkipCondition
  /** The dtype of the accumulator. Default: 'float32', whatever the gradients are. */
  readonly accumulatorDtype?: FloatDType
}

/** The names of `MultiStepsOptions`. */
export const multiStepsNames: OptionTable<MultiStepsOptions> = {
  useGradMean: 'optional',
  skipNotFinite: 'optional',
  shouldSkip: 'optional',
  accumulatorDtype: 'optional',
  ...arithmeticNames,
}

/** Where the accumulation is. */
export type MultiStepsState = {
  /** Gradients accumulated since the last emission. */
  readonly miniStep: number
  /** Emissions done. */
  readonly gradientStep: number
  readonly innerState: State
  readonly accGrads: Tree
  /** Whether the last gradient was ignored. */
  readonly skipped: boolean
}

/**
 * One inner step per `everyK` gradients; zero updates in between. `everyK` may be a function of the emissions done.
 *
 * Rounding  mean: acc + (g - acc) / (miniStep + 1), in the dtype that gradient and accumulator meet in, a true division;
 *           the inner transform gets it cast to the gradients' dtype, the state to the accumulator's.
 * Special   without `skipNotFinite` a NaN or Inf is there for good, as in optax, which starts anew by a multiplication
 *           by 0: the element of the accumulator is NaN from then on, and every step's update is 0 times what the inner
 *           transform makes of it: NaN, unless the inner transform removes it. Finite elements start anew at +0.
 * Error     a float32 mean of k gradients: at most (k + 4) 2^-24 max |g|.
 *
 * @example multiSteps(scale(1), 2).update([tensor([3])], multiSteps(scale(1), 2).init([tensor([0])]))[1].miniStep // 1
 */
export function multiSteps(
  inner: GradientTransformation,
  everyK: number | ((gradientStep: number) => number),
  options: MultiStepsOptions = {},
): GradientTransformation<MultiStepsState> {
  checkTransformation('multiSteps', 'the inner one', inner)
  checkOptions('multiSteps', options, multiStepsNames)
  checkFlag('multiSteps', 'useGradMean', options.useGradMean)
  checkFlag('multiSteps', 'skipNotFinite', options.skipNotFinite)
  checkDtype('multiSteps', 'accumulatorDtype', options.accumulatorDtype)
  const { useGradMean = true, skipNotFinite = false, shouldSkip, accumulatorDtype = 'float32' } = options
  if (shouldSkip !== undefined) checkFunction('multiSteps', 'shouldSkip', shouldSkip)
  const a = arithmeticOf(options.arithmetic)
  if (typeof everyK === 'number') checkInteger('multiSteps', 'everyK', everyK, 1)
  else checkFunction('multiSteps', 'everyK', everyK)
  const everyOp = typeof everyK === 'number' ? undefined : everyOf(everyK)
  const everyAt = (step: Count): number | Tensor =>
    everyOp ? cast(atCount(everyOp, step as Tensor, undefined), 'int32') : (everyK as number)
  return {
    // A condition of one's own looks at elements.
    recordable: inner.recordable === true && shouldSkip === undefined,
    skips: true,
    init: (params) => ({
      miniStep: 0,
      gradientStep: 0,
      innerState: inner.init(params),
      accGrads: zerosLike(params, accumulatorDtype),
      skipped: false,
    }),
    update(updates, state, params, extra) {
      const at = state.miniStep as Count
      const accumulated = (steps: Scalar): readonly [typeof updates, Tree] =>
        leafwise('multiSteps', [updates, state.accGrads], ([g, acc]) => {
          const away = a.sub(g!, acc!)
          const mean = (): Tensor => a.add(acc!, a.div(away, constantOf(a, steps, away.dtype as FloatDType)))
          const next = useGradMean ? mean() : a.add(g!, acc!)
          return [inDtype(next, g!.dtype as FloatDType), inDtype(next, accumulatorDtype)]
        })
      if (at instanceof Tensor) {
        const [mean, kept] = accumulated(cast(add(at, 1), 'float64'))
        const [changed, innerState] = inner.update(mean, state.innerState, params, extra)
        const emits = equal(nextCount(at), everyAt(state.gradientStep))
        const finite = recordedFinite(mean)
        // What is accumulated goes on, or starts anew.
        const done = chooseTree(finite, zerosLike(kept), timesZero(kept))
        const next = recordedState<MultiStepsState>({
          miniStep: where(emits, 0, nextCount(at)),
          gradientStep: chooseState(emits, nextCount(state.gradientStep), state.gradientStep),
          innerState: chooseState(emits, innerState, state.innerState),
          accGrads: chooseTree(emits, done, kept),
          skipped: false,
        })
        const idle = chooseTree(finite, zeroUpdates(mean), timesZero(changed))
        const out = chooseTree(emits, changed, idle)
        if (!skipNotFinite) return [out, next]
        const good = recordedFinite(updates)
        return [
          chooseTree(good, out, zeroUpdates(updates)),
          recordedState<MultiStepsState>(chooseState(good, next, { ...state, skipped: true })),
        ]
      }
      if ((skipNotFinite && !allFinite(updates)) || shouldSkip?.(updates, state.gradientStep, params)) {
        return [zeroUpdates(updates), { ...state, skipped: true }]
      }
      const k = typeof everyK === 'number' ? everyK : everyK(state.gradientStep)
      checkInteger('multiSteps', `everyK at gradient step ${state.gradientStep}`, k, 1)
      const emits = at === k - 1
      const [mean, kept] = accumulated(at + 1)
      const miniStep = nextCount(state.miniStep) % k
      const going = { miniStep, gradientStep: state.gradientStep, skipped: false }
      const finite = allFinite(mean)
      if (!emits && finite) {
        return [zeroUpdates(mean), { ...going, innerState: state.innerState, accGrads: kept }]
      }
      const [changed, innerState] = inner.update(mean, state.innerState, params, extra)
      if (!emits) return [timesZero(changed), { ...going, innerState: state.innerState, accGrads: kept }]
      const gradientStep = nextCount(state.gradientStep)
      return [
        changed,
        { ...going, gradientStep, innerState, accGrads: finite ? zerosLike(kept) : timesZero(kept) },
      ]
    },
  }
}

/** How many gradients there are to the step after so many, as an operation. */
function everyOf(everyK: (gradientStep: number) => number): ReturnType<typeof countOp<undefined>> {
  return countOp('everyK', (step) => {
    const k = everyK(step)
    checkInteger('multiSteps', `everyK at gradient step ${step}`, k, 1)
    return k
  })
}

/** 0 times every element: +0, and NaN where it is not finite. */
function timesZero<P extends Treelike>(tree: P): P {
  return mapTree((x): Tensor => where(areFinite(x), zeros([], { dtype: x.dtype }), nan(x)), tree)
}

function nan(x: Tensor): Tensor {
  return full([], Number.NaN, { dtype: x.dtype })
}
