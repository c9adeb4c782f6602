import {
  checkFlag,
  checkFunction,
  checkInteger,
  checkOptions,
  checkRecord,
  type OptionTable,
} from '../../base/options/index.js'
import {
  applyGradients,
  type GradientTransformation,
  makeTrainStep,
  type Point,
  type State,
} from '../../optimizer/index.js'
import { type BackwardOptions, valueAndGrad } from '../../tensors/autodiff/index.js'
import { compile } from '../../tensors/compile/index.js'
import type { Key } from '../../tensors/random/index.js'
import { cast, mul, type Tensor, tensor } from '../../tensors/tensor/index.js'
import { mapTree, type Treelike } from '../../tensors/tree/index.js'
import {
  dynamicLossScale,
  type LossScaleOptions,
  type Stepper,
  type StoredParamsOptions,
  storedParams,
} from '../lowprecision/index.js'
import { effectiveBits } from './effectiveBits.js'
import { lookAtStep } from './lookAtStep.js'
import type { StepContext, StepResult } from './trainOptions.js'

/** A loss, and how it is descended. */
export interface DescendOptions<P extends Treelike, B> {
  /** The first parameters. */
  readonly init: (key: Key) => P
  /** The loss of a batch, a scalar: a function of tensors, of its arguments alone. */
  readonly loss: (params: P, batch: B) => Tensor
  readonly optimizer: GradientTransformation
  /** How parameters are stored in few bits, as `storedParams` does. Default: as `init` gives them. */
  readonly storage?: StoredParamsOptions
  /** Whether gradients are those of a multiple of the loss, which moves as `dynamicLossScale` has it. Default false. */
  readonly lossScale?: boolean | LossScaleOptions
  /** How gradients are summed, and rules of operations of one's own, as `valueAndGrad` takes them. Default: its own. */
  readonly backward?: BackwardOptions
  /** Whether loss and gradient are one program. Default true. */
  readonly compile?: boolean
  /**
   * Steps between two looks at gradients and updates, reported as metrics: `gradNorm`, `gradUnderflow`, and `updatesLost` where the parameters
   * are all that a step adds to. A look computes the gradient once more. Default 0: none.
   */
  readonly health?: number
  /**
   * Steps between two samples of how many bits of the gradients are right, reported as the metrics that `effectiveBits` gives; the first step is
   * one of them. A sample takes ten to thirty steps. Default 0: none.
   */
  readonly bits?: number
}

/** What `train` takes of a loss: { init, step }. */
export interface Descent<P extends Treelike, B> {
  /** The first parameters and the optimizer's state. */
  readonly init: (key: Key) => Point<State, P>
  /** One step down; its number is known where looks are due by it. */
  readonly step: (
    point: Point<State, P>,
    batch: B,
    context?: Pick<StepContext, 'step'>,
  ) => StepResult<Point<State, P>>
}

// biome-ignore lint/suspicious/noExplicitAny: the table has the names for any parameters.
const names: OptionTable<DescendOptions<any, any>> = {
  ...{ init: 'required', loss: 'required', optimizer: 'required' },
  ...{ storage: 'optional', lossScale: 'optional', backward: 'optional', compile: 'optional' },
  ...{ health: 'optional', bits: 'optional' },
}

/**
 * The point and the step of descending a loss, for `train({ ...descend({ init, loss, optimizer }), data, steps })`: the gradient as a
 * compiled program, the optimizer's step, and by options parameters in few bits and a loss scale.
 *
 * Rounding  as `valueAndGrad` and the optimizer; with `storage` as `storedParams`; with `lossScale` the loss is cast to float32 (float64
 *           stays), multiplied by the scale, and gradients divided as `dynamicLossScale` does. The reported loss is the unscaled one.
 *
 * @example const descent = descend({ init: () => ({ w: tensor([1, 2]) }), loss: ({ w }, x) => sum(mul(w, x)), optimizer: optimizer.sgd({ learningRate: 1 }) })
 * descent.step(descent.init(), tensor([1, 1])).loss.item() // 3
 */
export function descend<P extends Treelike, B>(options: DescendOptions<P, B>): Descent<P, B> {
  checkOptions('descend', options, names)
  const {
    init,
    loss,
    optimizer,
    storage,
    lossScale = false,
    backward = {},
    compile: compiled = true,
    health = 0,
    bits = 0,
  } = options
  checkFunction('descend', 'init', init)
  checkFunction('descend', 'loss', loss)
  checkRecord('descend', 'optimizer', optimizer, ['init', 'update'])
  checkFlag('descend', 'compile', compiled)
  checkInteger('descend', 'health', health)
  checkInteger('descend', 'bits', bits)
  const isDue = (context: Pick<StepContext, 'step'> | undefined): boolean =>
    health > 0 && context !== undefined && context.step % health === 0
  const sampled = (
    gradientOf: (params: P) => Treelike,
    params: P,
    context: Pick<StepContext, 'step'> | undefined,
  ): Readonly<Record<string, number>> => {
    const due = bits > 0 && context !== undefined && (context.step === 1 || context.step % bits === 0)
    return due ? effectiveBits(gradientOf, params) : {}
  }
  if (storage === undefined && lossScale === false) {
    const gradient = valueAndGrad(loss, backward)
    const run = compiled ? compile(gradient) : gradient
    const step = makeTrainStep(run, optimizer)
    return {
      init: (key) => {
        const params = init(key)
        return { params, state: optimizer.init(params as object) }
      },
      step: (point, batch, context) => {
        const next = step(point, batch)
        const found = sampled((params) => gradient(params, batch)[1], point.params, context)
        if (!isDue(context)) return withMetrics(next, found)
        const [, grads] = run(point.params, batch)
        const [updates] = optimizer.update(grads, point.state, point.params as Treelike)
        return withMetrics(next, { ...lookAtStep(point.params, next.params, { grads, updates }), ...found })
      },
    }
  }
  const inner: Stepper = storage === undefined ? plain(optimizer) : storedParams(optimizer, storage)
  const stepper: Stepper =
    lossScale === false ? inner : dynamicLossScale(inner, lossScale === true ? {} : lossScale)
  const gradient = valueAndGrad(
    (params: P, batch: B, scale: Tensor): [Tensor, Tensor] => {
      const value = loss(params, batch)
      if (lossScale === false) return [value, value]
      const wide = value.dtype === 'float64' ? value : cast(value, 'float32')
      return [mul(wide, cast(scale, wide.dtype)), value]
    },
    { ...backward, hasAux: true },
  )
  const run = compiled ? compile(gradient) : gradient
  return {
    init: (key) => stepper.init(init(key) as object) as Point<State, P>,
    step: (point, batch, context) => {
      const scale = scaleOf(point.state)
      const [[, value], grads] = run(point.params, batch, tensor(scale))
      const next = stepper.step(grads, point)
      const looked = isDue(context) ? lookAtStep(point.params, next.params, { grads, scale }) : {}
      const found = sampled((params) => gradient(params, batch, tensor(scale))[1], point.params, context)
      const own = lossScale === false ? {} : { lossScale: scale }
      return withMetrics({ ...next, loss: value }, { ...looked, ...found, ...own })
    },
  }
}

/** A result with what was measured, where anything was. */
function withMetrics<R>(result: R, metrics: Readonly<Record<string, number>>): R {
  return Object.keys(metrics).length > 0 ? { ...result, metrics } : result
}

/** A stepper that only makes the optimizer's step. */
function plain(optimizer: GradientTransformation): Stepper {
  return {
    init: (params) => ({ params: mapTree((x): Tensor => x, params), state: optimizer.init(params) }) as never,
    step: (grads, point) => applyGradients(optimizer, grads, point),
  }
}

/** The scale that a state of `dynamicLossScale` has; 1 for others. */
function scaleOf(state: State): number {
  const scale: unknown = typeof state === 'object' ? Reflect.get(state, 'scale') : undefined
  return typeof scale === 'number' ? scale : 1
}
