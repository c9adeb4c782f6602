import {
  checkFlag,
  checkInteger,
  checkName,
  checkOptions,
  checkRecord,
  type OptionTable,
  shown,
} from '../../base/options/index.js'
import { type CumsumName, cumsums, type Form, forms } from '../../models/ssm/index.js'
import { type FormatName, format, formatNames } from '../../numbers/formats/index.js'
import { type ExperimentName, experiments } from './experiments.js'

/** What the parameters, but not the moments, are rounded to on their way through the model. */
export type ModelDType = 'float32' | FormatName

/** How gradients of broadcast scalars are added: one float32 sum, or XLA's windows of 32 in the model's own dtype. */
export type BroadcastSum = 'float32' | 'windowed-32'

/** One run of the experiment. */
export interface Step2750Options {
  /** Of the data that are drawn. Default: 1. */
  readonly seed?: number
  /** Default: what was calibrated for the experiment, 2.75e-4 for 'gap'. */
  readonly lr?: number
  /** Default: 5000. */
  readonly steps?: number
  /** Of the model's values: float32 or a format of 8 or 16 bits. Default: 'bfloat16'. */
  readonly dtype?: ModelDType
  /** Default: 'factorized'. */
  readonly form?: Form
  /** Default: 'sequential'. */
  readonly cumsum?: CumsumName
  /** Whether NaN gradients become 0 after the clip, so that the run continues. Default: false. */
  readonly zeroNans?: boolean
  /** Default: 'float32'. */
  readonly broadcastSum?: BroadcastSum
  /** Default: 'gap'. */
  readonly experiment?: ExperimentName
  /** Positions of a sequence. Default: the experiment's. */
  readonly length?: number
  /** The long first step of experiment 'gap'. Default: 16. */
  readonly gap?: number
}

/** Options with every default filled in; `gap` is null where the experiment has none. */
export type Step2750Run = Required<Omit<Step2750Options, 'gap'>> & { readonly gap: number | null }

/** The dtypes a model may have. */
export const modelDTypes: readonly ModelDType[] = [
  'float32',
  ...formatNames.filter((name) => format(name).bits === 8 || format(name).bits === 16),
]

const optionNames: OptionTable<Step2750Options> = {
  ...{ seed: 'optional', lr: 'optional', steps: 'optional', dtype: 'optional', form: 'optional' },
  ...{ cumsum: 'optional', zeroNans: 'optional', broadcastSum: 'optional', experiment: 'optional' },
  ...{ length: 'optional', gap: 'optional' },
}

/** Fills in the defaults and checks every value: an error says what is wrong. */
export function step2750Options(options: Step2750Options = {}): Step2750Run {
  checkOptions('step2750', options, optionNames)
  const { experiment: name = 'gap', dtype = 'bfloat16', form = 'factorized', cumsum = 'sequential' } = options
  checkName('step2750', 'experiment', name, Object.keys(experiments))
  checkName('step2750', 'dtype', dtype, modelDTypes)
  checkName('step2750', 'form', form, Object.keys(forms))
  checkName('step2750', 'cumsum', cumsum, Object.keys(cumsums))
  const experiment = experiments[name]
  const { seed = 1, lr = experiment.lr, steps = 5000, length = experiment.length } = options
  checkInteger('step2750', 'seed', seed, 0, 2 ** 32 - 1)
  checkPositive('lr', lr)
  checkInteger('step2750', 'steps', steps, 1, 1e6)
  checkInteger('step2750', 'length', length, 1, experiment.longest)
  const { zeroNans = false, broadcastSum = 'float32', gap = experiment.gap } = options
  checkFlag('step2750', 'zeroNans', zeroNans)
  checkName('step2750', 'broadcastSum', broadcastSum, ['float32', 'windowed-32'])
  if (options.gap !== undefined && experiment.gap === null) {
    throw new RangeError(`step2750: experiment ${name} has no gap [${shown(options.gap)}]`)
  }
  if (gap !== null) checkPositive('gap', gap)
  return { seed, lr, steps, dtype, form, cumsum, zeroNans, broadcastSum, experiment: name, length, gap }
}

/** Throws a TypeError unless this is a run with all of its options, as `step2750Options` makes one. */
export function checkRun(op: string, run: Step2750Run): void {
  checkRecord(op, 'run', run, Object.keys(optionNames))
}

function checkPositive(option: string, value: number): void {
  if (!(typeof value === 'number' && value > 0 && value < Infinity)) {
    throw new RangeError(`step2750: ${option} is not a positive number [${shown(value)}]`)
  }
}
