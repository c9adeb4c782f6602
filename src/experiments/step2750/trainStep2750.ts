import { checkFunction } from '../../base/options/index.js'
import { gradientRules } from '../../models/ssm/index.js'
import {
  adamw,
  applyGradients,
  chain,
  clipByGlobalNorm,
  type GradientTransformation,
  type State,
  zeroNans,
} from '../../optimizer/index.js'
import { valueAndGrad } from '../../tensors/autodiff/index.js'
import { compile } from '../../tensors/compile/index.js'
import { cast, fromBits, slice, type Tensor } from '../../tensors/tensor/index.js'
import { type Parameters, parametersOf, valuesOf } from './parameters.js'
import { checkData, type Step2750Data } from './step2750Data.js'
import { lossOf, type Sequence } from './step2750Model.js'
import { checkRun, type Step2750Run } from './step2750Options.js'

/** One step as it was: the parameters before it, and what they gave. */
export interface StepFacts {
  readonly step: number
  readonly params: Parameters
  readonly loss: Tensor
  readonly grads: Parameters
  /** Whether the loss and every gradient is finite. */
  readonly finite: boolean
}

/** Where a run stands between two steps. */
export interface TrainPoint {
  /** Steps done. */
  readonly step: number
  readonly params: Parameters
  readonly state: State
}

/** The optimizer of the experiment: clip at norm 1, NaN to 0 or not, AdamW; norm and clip as optax's on the CPU. */
function optimizerOf({ lr, zeroNans: zeroes }: Step2750Run): GradientTransformation<readonly State[]> {
  const clip = clipByGlobalNorm(1, { arithmetic: 'xla-cpu' })
  const descent = adamw({ learningRate: lr, b1: 0.9, b2: 0.95, eps: 1e-8, weightDecay: 1e-4 })
  return zeroes ? chain(clip, zeroNans(), descent) : chain(clip, descent)
}

/** The sequences of a run as tensors of the model's dtype: step t, from 1, has row (t - 1) mod rows. */
export function sequencesOf(data: Step2750Data, { dtype }: Step2750Run): (step: number) => Sequence {
  const { rows, length } = data
  const matrix = (codes: Uint16Array): Tensor =>
    cast(fromBits(codes, { shape: [codes.length / length, length], dtype: 'bfloat16' }), dtype)
  const [x, y, clock] = [matrix(data.x), matrix(data.y), matrix(data.clock)]
  return (step) => {
    const row = (step - 1) % rows
    return { x: slice(x, [row]), y: slice(y, [row]), clock: slice(clock, [row % clock.shape[0]!]) }
  }
}

/** Loss and gradients of one step; `parameters` may be recorded ones. */
export function lossAndGradients(
  parameters: Parameters,
  sequence: Sequence,
  run: Step2750Run,
): readonly [loss: Tensor, grads: Parameters] {
  return gradientOf(run)(parameters, sequence)
}

type Gradient = (parameters: Parameters, sequence: Sequence) => readonly [Tensor, Parameters]

/** The loss of one sequence, a scalar: what a run descends. */
export type StepLoss = (parameters: Parameters, sequence: Sequence) => Tensor

function gradientOf(
  run: Step2750Run,
  loss: StepLoss = (parameters, sequence) => lossOf(parameters, sequence, run),
): Gradient {
  const sum =
    run.broadcastSum === 'windowed-32'
      ? ({ order: { windowed: 32 }, accumulate: run.dtype } as const)
      : ({ order: 'sequential', accumulate: 'float32' } as const)
  return valueAndGrad(loss, { sum, rules: gradientRules })
}

/** Where a run begins. */
export function firstPoint(data: Step2750Data, run: Step2750Run): TrainPoint {
  checkData('firstPoint', data)
  checkRun('firstPoint', run)
  const params = parametersOf(data.init)
  return { step: 0, params, state: optimizerOf(run).init({ ...params }) }
}

/**
 * Trains step by step from `point`, giving the facts of each step and the point behind it. Ends behind `run.steps`, or
 * behind the first step that is not finite; with `zeroNans` that one is no end. `loss` replaces the experiment's own.
 */
export function trainStep2750(
  data: Step2750Data,
  run: Step2750Run,
  point?: TrainPoint,
  loss?: StepLoss,
): Generator<{ readonly facts: StepFacts; readonly point: TrainPoint }> {
  checkData('trainStep2750', data)
  checkRun('trainStep2750', run)
  if (loss !== undefined) checkFunction('trainStep2750', 'loss', loss)
  return stepsFrom(point ?? firstPoint(data, run), data, run, loss)
}

function* stepsFrom(
  point: TrainPoint,
  data: Step2750Data,
  run: Step2750Run,
  loss: StepLoss | undefined,
): Generator<{ readonly facts: StepFacts; readonly point: TrainPoint }> {
  const optimizer = optimizerOf(run)
  const sequence = sequencesOf(data, run)
  // A loss of the caller's may look at elements, or count its calls: it is not compiled.
  const gradient = loss ? gradientOf(run, loss) : compile(gradientOf(run))
  let { params, state } = point
  for (let step = point.step + 1; step <= run.steps; step++) {
    const [loss, grads] = gradient(params, sequence(step))
    const finite = Number.isFinite(loss.data[0]) && valuesOf(grads).every(Number.isFinite)
    const facts = { step, params, loss, grads, finite }
    const next = applyGradients(
      optimizer,
      { ...grads },
      { params: { ...params }, state: state as readonly State[] },
    )
    params = next.params as Parameters
    state = next.state
    yield { facts, point: { step, params, state } }
    if (!finite && !run.zeroNans) return
  }
}
