import { checkFunction, checkOptions } from '../../base/options/index.js'
import { Tensor } from '../../tensors/tensor/index.js'
import type { Tree, Treelike } from '../../tensors/tree/index.js'
import { checkTransformation } from '../checkTransformation.js'
import type { Optimizer, State } from '../transformation.js'
import { applyGradients } from './applyGradients.js'
import { type ApplyGradientsOptions, applyGradientsNames, type Point } from './point.js'
import { wholeStep } from './wholeStep.js'

/** The point after a step, and what the loss was before it. */
export interface TrainedPoint<L, S extends State = State, P extends Treelike = Tree> extends Point<S, P> {
  readonly loss: L
}

/** A step by `makeTrainStep`: a function, which tells what it was made of to whoever looks into it (`shadowTrainStep`). */
export interface TrainStep<
  L,
  B extends readonly unknown[],
  S extends State = State,
  P extends Treelike = Tree,
> {
  (point: Point<S, P>, ...batch: B): TrainedPoint<L, S, P>
  /** What the step was made of. */
  readonly lossAndGrad: (params: P, ...batch: B) => readonly [loss: L, grads: Treelike]
}

/**
 * One training step as a function of the point and the batch: loss and gradients at its parameters, then
 * `applyGradients`, which receives the loss. `lossAndGrad` is autodiff's `valueAndGrad(loss)`, or any function of that shape; with an auxiliary
 * output `loss` is the pair that it gives.
 *
 * Cost      of a gradient made by `compile` the whole step is one program, the same bits, unless the optimizer looks at elements
 *           (`withTensorState`), or `extra`, `engine: 'plain'` or the gradient's own `donate` or `rounding: 'fused'` ask otherwise.
 *
 * @example const step = makeTrainStep((params, x) => [x, params], sgd({ learningRate: 0.5 }))
 * const next = step({ params: [tensor([4])], state: [{}, {}] }, 7)
 * [next.params[0].item(), next.loss] // [2, 7]
 */
export function makeTrainStep<L, B extends readonly unknown[], S extends State, P extends Treelike = Tree>(
  lossAndGrad: (params: P, ...batch: B) => readonly [loss: L, grads: Treelike],
  optimizer: Optimizer<S>,
  options: ApplyGradientsOptions = {},
): TrainStep<L, B, S, P> {
  checkFunction('makeTrainStep', 'lossAndGrad', lossAndGrad)
  checkTransformation('makeTrainStep', 'the optimizer', optimizer)
  checkOptions('makeTrainStep', options, applyGradientsNames)
  const checked = (params: P, ...batch: B): readonly [loss: L, grads: Treelike] => {
    const pair: unknown = lossAndGrad(params, ...batch)
    if (!Array.isArray(pair) || pair.length !== 2) {
      throw new TypeError(
        `makeTrainStep: lossAndGrad gave no pair of a loss and gradients [${Array.isArray(pair) ? `${pair.length} values` : typeof pair}]`,
      )
    }
    return pair as [L, Treelike]
  }
  const apart = ({ params, state }: Point<S, P>, ...batch: B): TrainedPoint<L, S, P> => {
    const [loss, grads] = checked(params, ...batch)
    const value = Array.isArray(loss) ? loss[0] : loss
    const known =
      typeof value === 'number' || value instanceof Tensor ? { value, grad: grads } : { grad: grads }
    const extra = { ...known, ...options.extra }
    return { ...applyGradients(optimizer, grads, { params, state }, { ...options, extra }), loss }
  }
  const whole = wholeStep(lossAndGrad, checked, optimizer, options)
  return Object.assign(whole ?? apart, { lossAndGrad })
}
