import {
  checkArray,
  checkFunction,
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { type NamedPolicy, type Trial, type TuneOptions, type Tuning, tune } from '../../precision/index.js'
import type { Tensor } from '../../tensors/tensor/index.js'
import type { Parameters } from './parameters.js'
import { checkData, drawData, type Step2750Data } from './step2750Data.js'
import { lossOf, type Sequence } from './step2750Model.js'
import { checkRun, type Step2750Options, type Step2750Run, step2750Options } from './step2750Options.js'
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
  /** Trials of the same search, which was broken off. Default none. */
  readonly earlier?: readonly Trial[]
  /** Called after every run. */
  readonly onTrial?: TuneOptions<never, never>['onTrial']
}

const tuneNames: OptionTable<TuneStep2750Options> = {
  ...{ goal: 'required', factor: 'optional', tail: 'optional', policies: 'optional' },
  ...{ earlier: 'optional', onTrial: 'optional' },
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
  checkRun('step2750Loss', run)
  return ({ parameters, sequence }) => lossOf(parameters, sequence, run)
}

/** What that loss is handed in the last step of a run that is finite. */
export function lastFiniteInputs(data: Step2750Data, run: Step2750Run): Step2750Inputs {
  checkData('lastFiniteInputs', data)
  checkRun('lastFiniteInputs', run)
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
 * Throws    as `step2750Options` and `tune`; RangeError for a run in float32 that is not finite itself.
 * Cost      one run a trial: over 300 steps 3 trials for 'finite', 35 for 'loss'. The NaN comes at lr x step = 0.757: a high rate makes a
 *           short run of it.
 */
export function tuneStep2750(options: Step2750Options, how: TuneStep2750Options): Tuning {
  checkOptions('tuneStep2750', how, tuneNames, { positional: 'goal' })
  const { goal, factor = 2, tail = 50, policies = [], earlier = [], onTrial } = how
  checkName('tuneStep2750', 'goal', goal, ['finite', 'loss'])
  checkNumber('tuneStep2750', 'factor', factor, 1)
  checkInteger('tuneStep2750', 'tail', tail, 1)
  checkArray('tuneStep2750', 'policies', policies)
  if (onTrial !== undefined) checkFunction('tuneStep2750', 'onTrial', onTrial)
  const run = step2750Options(options)
  if (run.dtype === 'float32') {
    throw new RangeError('tuneStep2750: nothing to tune in a float32 run [float32]')
  }
  const data = drawData(run)
  const f = step2750Loss(run)
  const stepLoss =
    (g: Step2750Loss): StepLoss =>
    (parameters, sequence: Sequence) =>
      g({ parameters, sequence: { ...sequence } })
  const losses = (of: Step2750Run, loss?: StepLoss): number[] =>
    Array.from(trainStep2750(data, of, firstPoint(data, of), loss), ({ facts }) => facts.loss.item())

  function* finite(g: Step2750Loss): Generator<number> {
    for (const { facts } of trainStep2750(data, run, firstPoint(data, run), stepLoss(g))) {
      yield facts.finite ? facts.step : Number.NaN
    }
  }
  const median = (of: Step2750Run, loss?: StepLoss): number => {
    const all = losses(of, loss)
    return all.length < of.steps ? Number.NaN : medianOf(all.slice(-tail))
  }
  const wide = goal === 'loss' ? median({ ...run, dtype: 'float32' }) : 0
  if (Number.isNaN(wide)) throw new RangeError('tuneStep2750: the run in float32 is not finite itself [NaN]')
  const shared = { narrow: run.dtype, policies, earlier, ...(onTrial ? { onTrial } : {}) } as const
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
