import {
  checkFlag,
  checkNumber,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { softmax } from '../../numerics/index.js'
import { add, div, mean, mul, sigmoid, slice, sub, sum, type Tensor } from '../../tensors/tensor/index.js'
import { checkAlike, inside, type LossOptions, lossNames } from './lossOptions.js'

/** How overlaps are weighed. */
export interface DiceOptions extends LossOptions {
  /** Added to numerator and denominator. Default: 1. */
  readonly smooth?: number
  /** The weight of what is predicted and not there. Default: 0.5. */
  readonly alpha?: number
  /** The weight of what is there and not predicted. Default: 0.5. */
  readonly beta?: number
  /** Whether predictions are logits (of one class: of a sigmoid), or probabilities as they are. Default: true. */
  readonly applySoftmax?: boolean
  /** Whether the first of several classes is left out. Default: false. */
  readonly ignoreBackground?: boolean
}

const names: OptionTable<DiceOptions> = {
  ...{ smooth: 'optional', alpha: 'optional', beta: 'optional', applySoftmax: 'optional' },
  ignoreBackground: 'optional',
  ...lossNames,
}

/**
 * 1 minus the overlap of predicted and true regions, for segmentation: of each example the mean over classes.
 *
 * Shape     both [batch, ...space, classes]; the loss [batch]. Dtype a float, both alike.
 * Rounding  every operation; sums over space in float32, once to the dtype.
 * Source    V-Net, arXiv:1606.04797; with alpha and beta Tversky's index, arXiv:1706.05721
 *
 * @example diceLoss(tensor([[[1, 0], [0, 1]]]), tensor([[[1, 0], [0, 1]]]), { applySoftmax: false }).toNested() // [0]
 */
export function diceLoss(predictions: Tensor, targets: Tensor, options: DiceOptions = noOptions): Tensor {
  checkOptions('diceLoss', options, names)
  const { smooth = 1, alpha = 0.5, beta = 0.5, applySoftmax = true, ignoreBackground = false } = options
  for (const [name, value] of Object.entries({ smooth, alpha, beta })) checkNumber('diceLoss', name, value, 0)
  checkFlag('diceLoss', 'applySoftmax', applySoftmax)
  checkFlag('diceLoss', 'ignoreBackground', ignoreBackground)
  checkAlike('diceLoss', predictions, { targets })
  if (predictions.rank < 2) {
    throw new RangeError(`diceLoss: needs the axes of batch and classes [${predictions.shape.join(', ')}]`)
  }
  return inside('diceLoss', [predictions, targets], options.internal, (logits, there) => {
    const classes = logits!.shape.at(-1)!
    const shares = !applySoftmax ? logits! : classes === 1 ? sigmoid(logits!) : softmax(logits!)
    const axis = logits!.shape.slice(2).map((_, i) => i + 1)
    const total = (x: Tensor): Tensor => (axis.length === 0 ? x : sum(x, { axis }))
    const both = total(mul(shares, there!))
    const alone = (x: Tensor, weight: number): Tensor => mul(sub(total(x), both), weight)
    const below = add(add(add(both, alone(shares, alpha)), alone(there!, beta)), smooth)
    const apart = sub(1, div(add(both, smooth), below))
    return mean(
      ignoreBackground && classes > 1
        ? slice(apart, [
            [0, null],
            [1, null],
          ])
        : apart,
      { axis: 1 },
    )
  })
}
