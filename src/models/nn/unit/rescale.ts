import { checkNumber, checkOptions, type OptionTable } from '../../../base/options/index.js'
import {
  apply,
  cast,
  checkTensor,
  type DType,
  dtypeFacts,
  isFloat,
  type KnownOp,
  mul,
  scaleGradientOp,
  type Tensor,
  untraced,
} from '../../../tensors/tensor/index.js'

/** The factors of `rescale`. */
export interface RescaleOptions {
  /** What elements are multiplied by. Default 1. */
  readonly forward?: number
  /** What their gradient is multiplied by, in place of `forward`. Default 1. */
  readonly backward?: number
}

const names: OptionTable<RescaleOptions> = { forward: 'optional', backward: 'optional' }

interface Factors {
  readonly forward: number
  readonly backward: number
}

/** The record of rescale. */
const rescaleOp: KnownOp<Factors> = {
  name: 'rescale',
  form: 'elementwise',
  rounds: 'once',
  kernel: ([x], { forward }) => mul(untraced(x!), forward),
  exact: ([x], { forward }) => mul(x!, forward),
  gradient: ({ g, attributes: { backward } }) => [mul(g, backward)],
  tangent: ({ tangents: [t], attributes: { backward } }) => t && mul(t, backward),
  bound: ([x], { forward }) => {
    const { precision, minPositive, max } = dtypeFacts(x!.dtype)
    let largest = 0
    for (const value of cast(untraced(x!), 'float64').data as Float64Array) {
      largest = Math.max(largest, Math.abs(value * forward))
    }
    if (!(largest <= max)) return Infinity
    // The factor is rounded to the dtype, then the product.
    return 2 * largest * 2 ** -precision * (1 + 2 ** -precision) + minPositive / 2
  },
}

/**
 * x times one factor, whose gradient is multiplied by another one: what unit scaling is made of. With unlike factors the gradient is
 * none of the function, only proportional to it, which Adam and other optimizers that divide by the size of gradients do not notice.
 *
 * Shape, Dtype kept; a float.
 * Rounding  the product once to the dtype, forward and back. Tangents are multiplied by `backward`.
 * Source    Blake, Orr, Luschi, Unit Scaling, arXiv 2303.11257, 3
 *
 * @example rescale(tensor([1, 2]), { forward: 0.5 }).toNested() // [0.5, 1]
 */
export function rescale<D extends DType>(x: Tensor<D>, options: RescaleOptions): Tensor<D> {
  checkTensor('rescale', x)
  checkOptions('rescale', options, names)
  const { forward = 1, backward = 1 } = options
  checkNumber('rescale', 'forward', forward)
  checkNumber('rescale', 'backward', backward)
  if (!isFloat(x.dtype)) throw new TypeError(`rescale: needs a floating-point dtype, cast first [${x.dtype}]`)
  if (forward === 1) {
    return backward === 1 ? x : (apply(scaleGradientOp, [x], { scale: backward }) as Tensor<D>)
  }
  return apply(rescaleOp, [x], { forward, backward }) as Tensor<D>
}
