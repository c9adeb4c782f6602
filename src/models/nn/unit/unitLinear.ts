import {
  checkFlag,
  checkFunction,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import { checkTensor, matmul, reshape, sizeOf, type Tensor } from '../../../tensors/tensor/index.js'
import { checkInput } from '../layers/checkInput.js'
import { rescale } from './rescale.js'
import { constrained, type UnitConstraint } from './unitFactors.js'

/** Options of unitLinear. */
export interface UnitLinearOptions {
  /** Default 'output', 'none' for a readout. The gradient of the weights always has its own factor. */
  readonly constraint?: UnitConstraint
  /** The product to logits: divided by the inputs instead of their root, as u-muP has it. Default false. */
  readonly readout?: boolean
  /** What multiplies rows [m, inputs] and weights, such as `kernels.quantizedMatmul`. Default `matmul`. */
  readonly product?: (x: Tensor, weight: Tensor) => Tensor
}

const names: OptionTable<UnitLinearOptions> = {
  ...{ constraint: 'optional', readout: 'optional', product: 'optional' },
}

/**
 * x W with results and gradients of unit scale where x, W and the cotangent have it: x W / sqrt(inputs), the gradient of x by
 * 1 / sqrt(outputs) (the constraint 'output' gives it the first factor), that of W by 1 / sqrt(rows).
 *
 * Shape     x [..., inputs], weight [inputs, outputs] -> [..., outputs]. Weights begin as normal numbers of variance 1.
 * Rounding  the product, then the factor.
 * Throws    RangeError for an input of other features.
 * Source    arXiv 2303.11257, table A.2; readout: Blake and others, u-muP, arXiv 2407.17465, table 2
 *
 * @example unitLinear(tensor([[1, 2, 3, 4]]), tensor([[1], [1], [1], [1]])).toNested() // [[5]]
 * @example unitLinear(tensor([[1, 2, 3, 4]]), tensor([[1], [1], [1], [1]]), { readout: true }).toNested() // [[2.5]]
 */
export function unitLinear(x: Tensor, weight: Tensor, options: UnitLinearOptions = noOptions): Tensor {
  checkTensor('unitLinear', weight)
  checkOptions('unitLinear', options, names)
  const { readout = false, product = matmul } = options
  checkFlag('unitLinear', 'readout', readout)
  checkFunction('unitLinear', 'product', product)
  if (weight.rank !== 2) {
    throw new RangeError(`unitLinear: the weight is no matrix [${weight.shape.join(', ')}]`)
  }
  const [inputs, outputs] = weight.shape as [number, number]
  checkInput('unitLinear', x, inputs)
  const rows = sizeOf(x.shape.slice(0, -1))
  const [forward, backward] = constrained('unitLinear', options.constraint ?? (readout ? 'none' : 'output'), [
    readout ? 1 / inputs : inputs ** -0.5,
    outputs ** -0.5,
  ])
  const y = product(
    rescale(reshape(x, [rows, inputs]), { backward: backward! }),
    rescale(weight, { backward: Math.max(1, rows) ** -0.5 }),
  )
  return reshape(rescale(y, { forward: forward! }), [...x.shape.slice(0, -1), outputs])
}
