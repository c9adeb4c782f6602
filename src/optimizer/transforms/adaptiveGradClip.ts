import { checkOptions, type OptionTable } from '../../base/options/index.js'
import {
  type FloatDType,
  reshape,
  type Shape,
  sizeOf,
  sqrt,
  square,
  sum,
  type Tensor,
  where,
  wideDType,
} from '../../tensors/tensor/index.js'
import {
  type ArithmeticOption,
  arithmeticNames,
  arithmeticOf,
  type Elementwise,
} from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { inDtype, type Scalar } from '../arithmetic/operand.js'
import { type EmptyState, type GradientTransformation, needParams, stateless } from '../transformation.js'

/** Options of adaptive clipping. */
export interface AdaptiveGradClipOptions extends ArithmeticOption {
  /** The smallest norm a unit of parameters counts as. Default: 1e-3. */
  readonly eps?: Scalar
}

/** The names of `AdaptiveGradClipOptions`. */
export const adaptiveGradClipNames: OptionTable<AdaptiveGradClipOptions> = {
  eps: 'optional',
  ...arithmeticNames,
}

/**
 * Each unit of a gradient scaled down so that its norm is at most `clipping` times that of its parameters. A unit is a
 * whole vector; one column of a matrix or of a rank-3 tensor (norms over axis 0); one filter of a convolution's HWIO
 * kernel (over all axes but the last).
 *
 * Shape     rank up to 5. Rounding squares to the dtype, sums in float32 ('ieee': float64), root and quotients to it.
 * Source    High-performance large-scale image recognition without normalization, arXiv:2102.06171
 *
 * @example tree.leavesOf(adaptiveGradClip(0.5).update([tensor([3, 4])], {}, [tensor([0, 2])])[0])[0].toNested().map((x) => x.toFixed(2)) // ['0.60', '0.80']
 */
export function adaptiveGradClip(
  clipping: Scalar,
  options: AdaptiveGradClipOptions = {},
): GradientTransformation<EmptyState> {
  checkOptions('adaptiveGradClip', options, adaptiveGradClipNames)
  const { eps = 1e-3 } = options
  const a = arithmeticOf(options.arithmetic)
  checkScalar('adaptiveGradClip', 'clipping', clipping, 0)
  checkScalar('adaptiveGradClip', 'eps', eps, 0)
  return stateless((updates, params) => {
    const all = needParams('adaptiveGradClip', params)
    return leafwise('adaptiveGradClip', [updates, all], ([g, p]) => {
      const units = unitsOf(g!)
      const [grads, weights] = [reshape(g!, units), reshape(p!, units)]
      const norm = unitNorms(a, grads)
      const most = a.mul(clipping, a.maximum(unitNorms(a, weights), eps))
      const clipped = a.mul(grads, a.div(most, a.maximum(norm, divisionGuard)))
      const dtype = clipped.dtype as FloatDType
      return [reshape(where(a.less(norm, most), inDtype(grads, dtype), clipped), g!.shape)]
    })[0]
  })
}

/** Keeps a zero norm from dividing; the result is not used there. */
const divisionGuard = 1e-6

/** How many leading axes a unit spans, by rank. */
const unitAxes = [0, 1, 1, 1, 3, 4]

/** The shape of x with a column for each unit. */
function unitsOf(x: Tensor): Shape {
  const axes = x.shape.filter((length) => length !== 1).length <= 1 ? x.rank : unitAxes[x.rank]
  if (axes === undefined) throw new RangeError(`adaptiveGradClip: rank above 5 [${x.shape.join(', ')}]`)
  return [sizeOf(x.shape.slice(0, axes)), sizeOf(x.shape.slice(axes))]
}

/** The norm of each column. */
function unitNorms(a: Elementwise, x: Tensor): Tensor {
  const dtype = x.dtype as FloatDType
  const down = { axis: 0, order: 'sequential', keepDims: true } as const
  if (a.name === 'ieee') return inDtype(sqrt(sum(square(inDtype(x, 'float64')), down)), dtype)
  return a.sqrt(sum(a.mul(x, x), { ...down, accumulate: wideDType(dtype) }))
}
