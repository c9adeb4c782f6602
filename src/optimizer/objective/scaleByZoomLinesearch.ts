import { checkInteger, checkName, checkOptions, type OptionTable } from '../../base/options/index.js'
import { valueAndGrad } from '../../tensors/autodiff/index.js'
import { type FloatDType, full, Tensor } from '../../tensors/tensor/index.js'
import { leavesOf, type Tree, type Treelike } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { stateTree, zerosLike } from '../arithmetic/fullLike.js'
import { innerProduct } from '../arithmetic/innerProduct.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { inDtype, promote } from '../arithmetic/operand.js'
import { type GradientTransformation, needParams } from '../transformation.js'
import { valueOf } from './valueOf.js'
import { type Point, type ZoomLimits, zoomSearch } from './zoomSearch.js'

/** When a step is long enough and short enough. */
export interface ZoomLinesearchOptions extends ArithmeticOption {
  /** Evaluations of the loss and its gradient a step. */
  readonly maxLinesearchSteps: number
  /** The longest step. Default: none. */
  readonly maxLearningRate?: number
  /** By how much what is asked may be missed. Default: 0. */
  readonly tol?: number
  /** What a step is multiplied by as long as no interval is found. Default: 2. */
  readonly increaseFactor?: number
  /** The share of the slope's decrease that a step has to bring. Default: 1e-4. */
  readonly slopeRtol?: number
  /** The share of the slope that may be left. Default: 0.9. */
  readonly curvRtol?: number
  /**
   * How far, as a share of the loss, it may rise where the slope alone tells that it fell: near a minimum, where differences of
   * losses are rounding errors; null for never. Default: 1e-6.
   */
  readonly approxDecRtol?: number | null
  /** The length of an interval that is searched no further. Default: 1e-5. */
  readonly stepsizePrecision?: number
  /** The first try: the last step's length, or 1, which suits quasi-Newton methods. Default: 'keep'. */
  readonly initialGuessStrategy?: 'keep' | 'one'
}

const names: OptionTable<ZoomLinesearchOptions> = {
  maxLinesearchSteps: 'required',
  maxLearningRate: 'optional',
  tol: 'optional',
  increaseFactor: 'optional',
  slopeRtol: 'optional',
  curvRtol: 'optional',
  approxDecRtol: 'optional',
  stepsizePrecision: 'optional',
  initialGuessStrategy: 'optional',
  ...arithmeticNames,
}

/** The last step's length, the loss and its gradient behind it, how often they were asked for, and by how much each was missed. */
export type ZoomLinesearchState = {
  readonly learningRate: Tensor
  readonly value: Tensor
  readonly grad: Tree
  readonly numLinesearchSteps: number
  readonly decreaseError: Tensor
  readonly curvatureError: Tensor
}

/**
 * Updates times a length at which the loss has fallen enough and is no longer steep (Wolfe): behind an optimizer. Steps grow
 * until an interval holds such a length, which is then found by cubic and quadratic interpolation. `update` needs `value`,
 * `grad` and `valueFn` among its extra arguments, and the parameters.
 *
 * Dtype     lengths in the dtype of the first parameter; bounds of the interval in float32 or wider, as in optax.
 * Special   where no length is found the one of the lowest loss that fell enough is taken, else the last; where the loss is no
 *           number there, none (updates times 0).
 * Cost      one evaluation of the loss and its gradient a try.
 * Source    Nocedal, Wright, Numerical optimization, algorithms 3.5 and 3.6, doi:10.1007/978-0-387-40065-5; Hager, Zhang,
 *           doi:10.1145/1132973.1132979, the approximate decrease
 *
 * @example scaleByZoomLinesearch({ maxLinesearchSteps: 10 }).init([tensor([1])]).learningRate.item() // 1
 */
export function scaleByZoomLinesearch(
  options: ZoomLinesearchOptions,
): GradientTransformation<ZoomLinesearchState> {
  checkOptions('scaleByZoomLinesearch', options, names)
  const op = 'scaleByZoomLinesearch'
  const { maxLinesearchSteps, maxLearningRate, tol = 0, increaseFactor = 2, slopeRtol = 1e-4 } = options
  const { curvRtol = 0.9, approxDecRtol = 1e-6, stepsizePrecision = 1e-5 } = options
  const { initialGuessStrategy = 'keep' } = options
  checkInteger(op, 'maxLinesearchSteps', maxLinesearchSteps, 1)
  checkName(op, 'initialGuessStrategy', initialGuessStrategy, ['keep', 'one'])
  const factors = { tol, increaseFactor, slopeRtol, curvRtol, stepsizePrecision }
  for (const [name, value] of Object.entries(factors)) checkScalar(op, name, value, 0)
  if (approxDecRtol !== null) checkScalar(op, 'approxDecRtol', approxDecRtol, 0)
  if (maxLearningRate !== undefined) checkScalar(op, 'maxLearningRate', maxLearningRate, 0)
  const a = arithmeticOf(options.arithmetic)
  const limits: ZoomLimits = { ...factors, maxLinesearchSteps, maxLearningRate, approxDecRtol }
  return {
    init(params) {
      const dtype = firstDtype(params)
      const wide = promote(dtype, 'float32')
      return {
        learningRate: full([], 1, { dtype }),
        value: full([], Number.POSITIVE_INFINITY, { dtype }),
        grad: zerosLike(params),
        numLinesearchSteps: 0,
        decreaseError: full([], Number.POSITIVE_INFINITY, { dtype: wide }),
        curvatureError: full([], Number.POSITIVE_INFINITY, { dtype: wide }),
      }
    },
    update(updates, state, params, extra) {
      const at = needParams(op, params)
      const { grad, valueFn, value: given } = extra ?? {}
      const dtype = state.learningRate.dtype as FloatDType
      const value = valueOf(op, extra, given instanceof Tensor ? (given.dtype as FloatDType) : dtype)
      if (grad === undefined || typeof valueFn !== 'function') {
        throw new RangeError(
          `${op}: update needs { value, grad, valueFn } as its fourth argument [undefined]`,
        )
      }
      const both = valueAndGrad((p: Treelike): Tensor => valueFn(p))
      const along = (stepsize: Tensor): Point => {
        const [there] = leafwise(op, [at, updates], ([p, u]) => [a.add(p!, a.mul(stepsize, u!))])
        const [found, slopes] = both(there)
        const slope = innerProduct(a, slopes, updates)
        const wide = valueOf(op, { value: found }, found.dtype as FloatDType)
        return { stepsize, value: wide, slope, grad: slopes }
      }
      const slope = innerProduct(a, updates, grad)
      const start: Point = { stepsize: full([], 0, { dtype }), value, slope, grad }
      const guess = initialGuessStrategy === 'one' ? full([], 1, { dtype }) : state.learningRate
      const found = zoomSearch(a, along, start, guess, initialGuessStrategy === 'one', limits)
      const [scaled] = leafwise(op, [updates], ([u]) => [a.mul(found.stepsize, u!)])
      const kept = leavesOf(state.grad)
      const slopes = leavesOf(found.grad)
      let i = 0
      return [
        scaled,
        {
          learningRate: found.stepsize,
          value: inDtype(a.add(found.value, 0), dtype),
          grad: stateTree(state.grad, () => {
            const [to, leaf] = [kept[i]!, slopes[i++]!]
            return inDtype(a.add(leaf, 0), to.dtype as FloatDType)
          }),
          numLinesearchSteps: found.tries,
          decreaseError: found.decreaseError,
          curvatureError: found.curvatureError,
        },
      ]
    },
  }
}

/** The dtype of the first parameter, in which optax keeps losses and lengths. */
function firstDtype(params: Treelike): FloatDType {
  return (leavesOf(params)[0]?.dtype ?? 'float32') as FloatDType
}
