import { checkOptions, type OptionTable } from '../../options/index.js'
import { type FloatDType, roundingTo, sizeOf, type Tensor } from '../../tensor/index.js'
import {
  type ArithmeticOption,
  arithmeticNames,
  arithmeticOf,
  type Elementwise,
} from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { type Decoded, decodedOf, type Scalar, tensorOf, valuesFor } from '../arithmetic/decoded.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { type EmptyState, type GradientTransformation, needParams, stateless } from '../transformation.js'

/** What else adaptive clipping is told. */
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
  const clip = stateless((updates, params) => {
    const weights = needParams('adaptiveGradClip', params)
    return leafwise('adaptiveGradClip', [updates, weights], ([g, p]) => {
      const norm = unitNorms(a, g!)
      const most = a.mul(clipping, a.maximum(unitNorms(a, p!), eps))
      const clipped = a.mul(g!, a.div(most, a.maximum(norm, divisionGuard)))
      const values = clipped.values.slice()
      const kept = decodedOf(g!).values
      for (let i = 0; i < values.length; i++) if (norm.values[i]! < most.values[i]!) values[i] = kept[i]!
      return [tensorOf({ ...clipped, values })]
    })[0]
  })
  // It looks at elements.
  return { ...clip, recordable: false }
}

/** Keeps a zero norm from dividing; the result is not used there. */
const divisionGuard = 1e-6

/** How many leading axes a unit spans, by rank. */
const unitAxes = [0, 1, 1, 1, 3, 4]

/** The norm of each element's unit, in the shape of x. */
function unitNorms(a: Elementwise, x: Tensor): Decoded {
  const axes = x.shape.filter((length) => length !== 1).length <= 1 ? x.rank : unitAxes[x.rank]
  if (axes === undefined) throw new RangeError(`adaptiveGradClip: rank above 5 [${x.shape.join(', ')}]`)
  const units = sizeOf(x.shape.slice(axes))
  const round = a.name === 'ieee' || x.dtype === 'float64' ? (s: number) => s : Math.fround
  const squares = (
    a.name === 'ieee' ? a.map((y) => y * y, { ...decodedOf(x), dtype: 'float64' }, 0) : a.mul(x, x)
  ).values
  const totals = new Float64Array(units)
  for (let i = 0; i < squares.length; i++) totals[i % units] = round(totals[i % units]! + squares[i]!)
  const dtype = x.dtype as FloatDType
  const rounded = valuesFor(dtype, squares.length)
  const toDtype = roundingTo(dtype)
  for (let i = 0; i < squares.length; i++) {
    const total = totals[i % units]!
    rounded[i] = a.name === 'ieee' ? toDtype(Math.sqrt(total)) : toDtype(total)
  }
  const norms: Decoded = { dtype, shape: x.shape, values: rounded }
  return a.name === 'ieee' ? norms : a.sqrt(norms)
}
