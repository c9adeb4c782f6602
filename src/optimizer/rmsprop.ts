import type { FloatDType } from '../tensor/index.js'
import { full, type Tensor } from '../tensor/index.js'
import { mapTree, type Tree } from '../tree/index.js'
import { type ArithmeticOption, arithmeticOf, type LaneArithmetic } from './arithmetic.js'
import { chain } from './chain.js'
import { checkNumber } from './checkOptions.js'
import { type Lane, type Operand, type Scalar, tensorOf } from './lane.js'
import { leafwise, zerosLike } from './leafwise.js'
import { biasCorrection, updateMoment, updateSecondMoment } from './moments.js'
import { type LearningRate, scaleByLearningRate } from './scaleByLearningRate.js'
import { trace } from './trace.js'
import { type GradientTransformation, nextCount, type State, stateless } from './transformation.js'

/** How gradients are rescaled by their root mean square. */
export interface ScaleByRmsOptions extends ArithmeticOption {
  /** Decay of the mean of squares. Default: 0.9. */
  readonly decay?: Scalar
  /** Default: 1e-8. */
  readonly eps?: Scalar
  /** What the mean of squares starts at. Default: 0. */
  readonly initialScale?: number
  /** Whether eps is added under the root. Default: true. */
  readonly epsInSqrt?: boolean
  /** Whether means are divided by 1 - decay^t. Default: false. */
  readonly biasCorrection?: boolean
}

/** RMSProp with a learning rate. */
export interface RmspropOptions extends ScaleByRmsOptions {
  readonly learningRate: LearningRate
  /** Whether the squared mean is subtracted from the mean of squares. Default: false. */
  readonly centered?: boolean
  /** Momentum of the updates, behind the learning rate. Default: none. */
  readonly momentum?: Scalar
  /** Default: false. */
  readonly nesterov?: boolean
}

/** Steps done and the mean of squares. */
export type RmsState = { readonly count: number; readonly nu: Tree }

/** Steps done, the mean and the mean of squares. */
export type StddevState = { readonly count: number; readonly mu: Tree; readonly nu: Tree }

/**
 * Updates by their root mean square: nu' = (1 - decay) g^2 + decay nu, u = g / sqrt(nu' + eps), or
 * g (1 / (sqrt(nu') + eps)) where eps is not under the root.
 *
 * Rounding  1 / sqrt once. XLA's rsqrt is the processor's estimate: up to 2 ulp apart from it.
 */
export function scaleByRms(options: ScaleByRmsOptions = {}): GradientTransformation<RmsState> {
  const { decay = 0.9, initialScale = 0 } = options
  const a = arithmeticOf(options.arithmetic)
  checkRms('scaleByRms', options)
  return {
    init: (params) => ({ count: 0, nu: fullLike(params, initialScale) }),
    update(updates, state) {
      const t = nextCount(state.count)
      const [scaled, nu] = leafwise('scaleByRms', [updates, state.nu], ([g, v], count) => {
        const square = updateSecondMoment(a, decay, g!, v!)
        const hat = options.biasCorrection ? biasCorrection(a, decay, t, square, count) : square
        return [tensorOf(a.mul(inverseRoot(a, hat, options), g!)), tensorOf(square)]
      })
      return [scaled, { count: t, nu }]
    },
  }
}

/**
 * Updates by their standard deviation: as `scaleByRms`, with nu' - mu'^2 in the place of nu'.
 *
 * Special   rounding may make nu' - mu'^2 negative: NaN.
 */
export function scaleByStddev(options: ScaleByRmsOptions = {}): GradientTransformation<StddevState> {
  const { decay = 0.9, initialScale = 0 } = options
  const a = arithmeticOf(options.arithmetic)
  checkRms('scaleByStddev', options)
  return {
    init: (params) => ({ count: 0, mu: zerosLike(params), nu: fullLike(params, initialScale) }),
    update(updates, state) {
      const t = nextCount(state.count)
      const trees = [updates, state.mu, state.nu] as const
      const [scaled, mu, nu] = leafwise('scaleByStddev', trees, ([g, m, v], count) => {
        const mean = updateMoment(a, decay, g!, m!)
        const square = updateSecondMoment(a, decay, g!, v!)
        const hat = (x: Lane): Lane => (options.biasCorrection ? biasCorrection(a, decay, t, x, count) : x)
        const meanHat = hat(mean)
        const variance = a.sub(hat(square), a.mul(meanHat, meanHat))
        return [tensorOf(a.mul(inverseRoot(a, variance, options), g!)), tensorOf(mean), tensorOf(square)]
      })
      return [scaled, { count: t, mu, nu }]
    },
  }
}

/**
 * RMSProp: `chain(scaleByRms or scaleByStddev, scaleByLearningRate, trace)`, momentum after the learning rate.
 *
 * @example rmsprop({ learningRate: 1e-3 }).init([tensor([1])]).length // 3
 */
export function rmsprop(options: RmspropOptions): GradientTransformation<readonly State[]> {
  const { learningRate, centered = false, momentum } = options
  return chain(
    centered ? scaleByStddev(options) : scaleByRms(options),
    scaleByLearningRate(learningRate, options),
    momentum === undefined ? stateless((updates) => updates) : trace(momentum, options),
  )
}

/** Leaves of one value, shaped as the tree's. */
export function fullLike(tree: Tree, value: number): Tree {
  return mapTree((x: Tensor) => full(x.shape, value, { dtype: x.dtype as FloatDType }), tree)
}

function inverseRoot(a: LaneArithmetic, x: Operand, options: ScaleByRmsOptions): Lane {
  const { eps = 1e-8, epsInSqrt = true } = options
  return epsInSqrt ? a.rsqrt(a.add(x, eps)) : a.div(1, a.add(a.sqrt(x), eps))
}

function checkRms(op: string, { decay = 0.9, eps = 1e-8, initialScale = 0 }: ScaleByRmsOptions): void {
  checkNumber(op, 'decay', decay, 0, 1)
  checkNumber(op, 'eps', eps, 0)
  checkNumber(op, 'initialScale', initialScale, 0)
}
