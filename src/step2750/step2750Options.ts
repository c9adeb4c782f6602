import { type FormatName, format, formatNames } from '../formats/index.js'
import { type CumsumName, cumsums, type Form, forms } from '../ssm/index.js'
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
  /** Whether NaN gradients become 0 behind the clip, and the run goes on. Default: false. */
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

/** Fills in the defaults and checks every value: a RangeError says what is wrong. */
export function step2750Options(options: Step2750Options = {}): Step2750Run {
  const name = oneOf('experiment', options.experiment ?? 'gap', Object.keys(experiments)) as ExperimentName
  const experiment = experiments[name]
  if (options.gap !== undefined && experiment.gap === null)
    throw new RangeError(`step2750: experiment ${name} has no gap [${options.gap}]`)
  const gap = experiment.gap === null ? null : positive('gap', options.gap ?? experiment.gap)
  return {
    seed: whole('seed', options.seed ?? 1, 0, 2 ** 32 - 1),
    lr: positive('lr', options.lr ?? experiment.lr),
    steps: whole('steps', options.steps ?? 5000, 1, 1e6),
    dtype: oneOf('dtype', options.dtype ?? 'bfloat16', modelDTypes) as ModelDType,
    form: oneOf('form', options.form ?? 'factorized', Object.keys(forms)) as Form,
    cumsum: oneOf('cumsum', options.cumsum ?? 'sequential', Object.keys(cumsums)) as CumsumName,
    zeroNans: options.zeroNans ?? false,
    broadcastSum: oneOf('broadcastSum', options.broadcastSum ?? 'float32', [
      'float32',
      'windowed-32',
    ]) as BroadcastSum,
    experiment: name,
    length: whole('length', options.length ?? experiment.length, 1, experiment.longest),
    gap,
  }
}

function oneOf(option: string, value: string, known: readonly string[]): string {
  if (known.includes(value)) return value
  throw new RangeError(
    `step2750: unknown ${option}, there are ${known.join(', ')} [${String(value).slice(0, 50)}]`,
  )
}

function whole(option: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new RangeError(`step2750: ${option} is not a whole number ${least} ... ${most} [${value}]`)
}

function positive(option: string, value: number): number {
  if (value > 0 && value < Infinity) return value
  throw new RangeError(`step2750: ${option} is not a positive number [${value}]`)
}
