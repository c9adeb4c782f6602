import { checkFunction, checkOptions } from '../../base/options/index.js'
import { Tensor } from '../../tensors/tensor/index.js'
import type { Tree, Treelike } from '../../tensors/tree/index.js'
import { checkFlag } from '../arithmetic/checkScalar.js'
import { checkTransformation } from '../checkTransformation.js'
import type { Optimizer, State } from '../transformation.js'
import { applyGradients } from './applyGradients.js'
import { type MakeTrainStepOptions, makeTrainStepNames, type Point } from './point.js'
import { recordedStep } from './recordedStep.js'
import { isCompiled, wholeStep } from './wholeStep.js'

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
 * Rounding  the bits of the steps operation by operation, however it runs.
 * Special   the first step records: loss, gradients and update are one program from then on, for each dtype and shape of the batch, as of
 *           `compile`: other values that the loss reads are fixed when the step is recorded; steps 2, 4, 8 and so on check that they are
 *           unchanged. A step that cannot be recorded, or differs each time, runs operation by operation and prints a warning once;
 *           `compile: false` does so without one. An optimizer that reads elements (`withTensorState`), `extra` and
 *           `engine: 'plain'` leave the update outside of the program. A gradient made by `compile` keeps its own options; its
 *           `donate` or `rounding: 'fused'` leave the update outside.
 *
 * @example const step = makeTrainStep((params, x) => [x, params], sgd({ learningRate: 0.5 }))
 * const next = step({ params: [tensor([4])], state: [{}, {}] }, 7)
 * [next.params[0].item(), next.loss] // [2, 7]
 */
export function makeTrainStep<L, B extends readonly unknown[], S extends State, P extends Treelike = Tree>(
  lossAndGrad: (params: P, ...batch: B) => readonly [loss: L, grads: Treelike],
  optimizer: Optimizer<S>,
  options: MakeTrainStepOptions = {},
): TrainStep<L, B, S, P> {
  checkFunction('makeTrainStep', 'lossAndGrad', lossAndGrad)
  checkTransformation('makeTrainStep', 'the optimizer', optimizer)
  checkOptions('makeTrainStep', options, makeTrainStepNames)
  checkFlag('makeTrainStep', 'compile', options.compile)
  const { compile: compiled = true, ...applying } = options
  const checked = (params: P, ...batch: B): readonly [loss: L, grads: Treelike] => {
    const pair: unknown = lossAndGrad(params, ...batch)
    if (!Array.isArray(pair) || pair.length !== 2) {
      throw new TypeError(
        `makeTrainStep: lossAndGrad gave no pair of a loss and gradients [${Array.isArray(pair) ? `${pair.length} values` : typeof pair}]`,
      )
    }
    return pair as [L, Treelike]
  }
  const apart =
    (gradient: typeof checked) =>
    ({ params, state }: Point<S, P>, ...batch: B): TrainedPoint<L, S, P> => {
      const [loss, grads] = gradient(params, ...batch)
      const value = Array.isArray(loss) ? loss[0] : loss
      const known =
        typeof value === 'number' || value instanceof Tensor ? { value, grad: grads } : { grad: grads }
      const extra = { ...known, ...applying.extra }
      return { ...applyGradients(optimizer, grads, { params, state }, { ...applying, extra }), loss }
    }
  const step = isCompiled(lossAndGrad)
    ? wholeStep(lossAndGrad, checked, optimizer, applying)
    : compiled
      ? recordedStep(checked, optimizer, applying, apart)
      : undefined
  return Object.assign(step ?? apart(checked), { lossAndGrad })
}
