import { type NamedPolicy, type TuneOptions, type Tuning, tune } from '../precision/index.js'
import type { Tensor } from '../tensor/index.js'
import type { Parameters } from './parameters.js'
import { drawData, type Step2750Data } from './step2750Data.js'
import { lossOf, type Sequence } from './step2750Model.js'
import { type Step2750Options, type Step2750Run, step2750Options } from './step2750Options.js'
import { firstPoint, type StepLoss, sequencesOf, trainStep2750 } from './trainStep2750.js'

/** What the search asks of a run, and how it goes. */
export interface TuneStep2750Options {
  /** 'finite': no loss and no gradient that is not finite in all steps; 'loss': the loss of the same run in float32. */
  readonly goal: 'finite' | 'loss'
  /** How many times the loss in float32 is as good; medians of the last steps. Default 2. */
  readonly factor?: number
  /** How many last steps the medians are of. Default 50. */
  readonly tail?: number
  /** Fixed policies to compare with. Default none. */
  readonly policies?: readonly NamedPolicy[]
  /** Told of every run. */
  readonly onTrial?: TuneOptions<never, never>['onTrial']
}

/** One step's loss as a function of one tree, which is what a search takes. */
export type Step2750Loss = (inputs: Step2750Inputs) => Tensor

/** Parameters and sequence of one step. */
export interface Step2750Inputs {
  readonly [part: string]: { readonly [name: string]: Tensor }
  readonly parameters: Parameters
  readonly sequence: { readonly x: Tensor; readonly y: Tensor; readonly clock: Tensor }
}

/** The loss of a run's model by parameters and sequence: what `shadow`, `tune` and `withPolicy` take. */
export function step2750Loss(run: Step2750Run): Step2750Loss {
  return ({ parameters, sequence }) => lossOf(parameters, sequence, run)
}

/** What that loss is handed in the last step of a run that is finite. */
export function lastFiniteInputs(data: Step2750Data, run: Step2750Run): Step2750Inputs {
  let step = 1
  let parameters = firstPoint(data, run).params
  for (const { facts } of trainStep2750(data, run)) {
    if (!facts.finite) break
    step = facts.step
    parameters = facts.params
  }
  return { parameters, sequence: { ...sequencesOf(data, run)(step) } }
}

/**
 * The least set of operations of the experiment's model to run in float32, forward and backward, so that a training run
 * survives, or learns what the float32 run learns. Every trial is a whole run of `steps` steps; they are ordered by what each
 * operation gains in the last finite step of the narrow run.
 *
 * Special   RangeErrors for options as `step2750Options` and `tune`; a run in float32 that is not finite itself.
 * Cost      one run a trial: over 300 steps 3 trials for 'finite', 35 for 'loss'. The NaN comes at lr x step = 0.757: a high rate makes a
 *           short run of it.
 */
export function tuneStep2750(options: Step2750Options, how: TuneStep2750Options): Tuning {
  const { goal, factor = 2, tail = 50, policies = [], onTrial } = how
  if (!['finite', 'loss'].includes(goal)) throw new RangeError(`tuneStep2750: unknown goal [${String(goal)}]`)
  if (!(factor >= 1)) throw new RangeError(`tuneStep2750: factor is not a number from 1 [${String(factor)}]`)
  if (!(Number.isInteger(tail) && tail >= 1))
    throw new RangeError(`tuneStep2750: tail is not a count from 1 [${String(tail)}]`)
  const run = step2750Options(options)
  if (run.dtype === 'float32')
    throw new RangeError('tuneStep2750: nothing to tune in a float32 run [float32]')
  const data = drawData(run)
  const f = step2750Loss(run)
  const stepLoss =
    (g: Step2750Loss): StepLoss =>
    (parameters, sequence: Sequence) =>
      g({ parameters, sequence: { ...sequence } })
  const losses = (of: Step2750Run, loss?: StepLoss): number[] =>
    Array.from(trainStep2750(data, of, firstPoint(data, of), loss), ({ facts }) => facts.loss.item())

  function* finite(g: Step2750Loss): Generator<number> {
    for (const { facts } of trainStep2750(data, run, firstPoint(data, run), stepLoss(g)))
      yield facts.finite ? facts.step : Number.NaN
  }
  const median = (of: Step2750Run, loss?: StepLoss): number => {
    const all = losses(of, loss)
    return all.length < of.steps ? Number.NaN : medianOf(all.slice(-tail))
  }
  const wide = goal === 'loss' ? median({ ...run, dtype: 'float32' }) : 0
  if (Number.isNaN(wide)) throw new RangeError('tuneStep2750: the run in float32 is not finite itself [NaN]')
  const shared = { narrow: run.dtype, policies, ...(onTrial ? { onTrial } : {}) } as const
  const inputs = lastFiniteInputs(data, run)
  return goal === 'finite'
    ? tune(f, inputs, { ...shared, target: { finite, steps: run.steps } })
    : tune(f, inputs, {
        ...shared,
        target: { metric: (g) => median(run, stepLoss(g)), atMost: factor * wide },
      })
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
