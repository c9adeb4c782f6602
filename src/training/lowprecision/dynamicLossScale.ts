import { checkOptions, checkRecord, type OptionTable } from '../../base/options/index.js'
import type { Point, State } from '../../optimizer/index.js'
import { cast, isFinite, isFloat, mul, type Tensor } from '../../tensors/tensor/index.js'
import { leavesOf, mapTree, type Treelike } from '../../tensors/tree/index.js'
import type { Stepper } from './stepper.js'

/** How the scale moves. */
export interface LossScaleOptions {
  /** Default: 2^16. */
  readonly initScale?: number
  /** Finite steps in a row after which the scale grows. Default: 2000. */
  readonly growthInterval?: number
  /** Default: 2. */
  readonly growthFactor?: number
  /** Default: 0.5. */
  readonly backoffFactor?: number
  /** The scale never falls below it. Default: 1. */
  readonly minScale?: number
}

const names: OptionTable<LossScaleOptions> = {
  initScale: 'optional',
  growthInterval: 'optional',
  growthFactor: 'optional',
  backoffFactor: 'optional',
  minScale: 'optional',
}

/** What the loss is multiplied by, how long that has gone well, and the stepper's own state. */
export type LossScaleState<S extends State = State> = {
  readonly scale: number
  /** Finite steps since the scale last changed. */
  readonly goodSteps: number
  /** Steps left out so far. */
  readonly skippedSteps: number
  readonly inner: S
}

/**
 * Dynamic loss scaling: gradients of `scale` times the loss are too large to underflow in float16; `step` takes them,
 * divides by the scale, and makes the stepper's step. Where a gradient is NaN or Inf the step is left out (parameters
 * and inner state stay) and the scale multiplied by `backoffFactor`; after `growthInterval` finite steps in a row it is
 * multiplied by `growthFactor`. As torch.amp.GradScaler and jmp.DynamicLossScale do.
 *
 * Dtype     the inner stepper gets float32 gradients, float64 ones where they are.
 * Rounding  scaled gradients are cast to float32, then multiplied by the rounded 1 / scale: exact while scales are
 *           powers of two, subnormals aside. The scale is a float32 number; growth that overflows it is left out.
 * Special   a backoff that reaches `minScale` stops there, and steps may be skipped for ever: watch `skippedSteps`.
 * Source    Mixed precision training, arXiv:1710.03740, section 3.2
 *
 * @example const plain = storedParams(optimizer.sgd({ learningRate: 1 }), { mode: 'master', dtype: 'float16' })
 * const scaled = dynamicLossScale(plain, { initScale: 1024 })
 * const start = scaled.init([tensor([1])])
 * const bad = scaled.step([tensor([Infinity])], start)
 * bad.state.scale // 512
 * scaled.step([tensor([256])], bad).params[0].item() // 0.5
 */
export function dynamicLossScale<S extends State>(
  stepper: Stepper<S>,
  options: LossScaleOptions = {},
): Stepper<LossScaleState<S>> {
  checkRecord('dynamicLossScale', 'stepper', stepper, ['init', 'step'])
  checkOptions('dynamicLossScale', options, names)
  const { initScale = 2 ** 16, growthInterval = 2000 } = options
  const { growthFactor = 2, backoffFactor = 0.5, minScale = 1 } = options
  check('initScale', initScale, Math.fround(initScale) > 0, 'a positive float32 number')
  check(
    'minScale',
    minScale,
    Math.fround(minScale) > 0 && minScale <= initScale,
    'positive and at most initScale',
  )
  check('growthFactor', growthFactor, growthFactor >= 1, 'a number from 1')
  check('backoffFactor', backoffFactor, backoffFactor > 0 && backoffFactor < 1, 'between 0 and 1')
  const whole = Number.isInteger(growthInterval) && growthInterval >= 1
  check('growthInterval', growthInterval, whole, 'a whole number from 1')

  function step<P extends Treelike>(
    grads: Treelike,
    { params, state }: Point<LossScaleState<S>, P>,
  ): Point<LossScaleState<S>, P> {
    const { scale, goodSteps, skippedSteps, inner } = state
    if (!allFinite(grads)) {
      const less = Math.max(minScale, Math.fround(scale * backoffFactor))
      return { params, state: { scale: less, goodSteps: 0, skippedSteps: skippedSteps + 1, inner } }
    }
    const next = stepper.step(unscaled(grads, scale), { params, state: inner })
    const grows = goodSteps + 1 >= growthInterval
    const more = Math.fround(scale * growthFactor)
    return {
      params: next.params,
      state: {
        scale: grows && Number.isFinite(more) ? more : scale,
        goodSteps: grows ? 0 : goodSteps + 1,
        skippedSteps,
        inner: next.state,
      },
    }
  }

  return {
    init(params) {
      const { params: stored, state: inner } = stepper.init(params)
      return {
        params: stored,
        state: { scale: Math.fround(initScale), goodSteps: 0, skippedSteps: 0, inner },
      }
    },
    step,
  }
}

function allFinite(grads: Treelike): boolean {
  return leavesOf(grads, { op: 'dynamicLossScale' }).every((leaf) => !isFinite(leaf).data.includes(0))
}

function unscaled<P extends Treelike>(grads: P, scale: number): P {
  return mapTree((g): Tensor => {
    if (!isFloat(g.dtype)) {
      throw new TypeError(`dynamicLossScale: gradients need a floating-point dtype, cast first [${g.dtype}]`)
    }
    return mul(g.dtype === 'float64' ? g : cast(g, 'float32'), 1 / scale)
  }, grads)
}

function check(name: string, value: number, right: boolean, what: string): void {
  if (typeof value !== 'number' || !right || !Number.isFinite(Math.fround(value))) {
    throw new RangeError(`dynamicLossScale: ${name} is not ${what} [${String(value)}]`)
  }
}
