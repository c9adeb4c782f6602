import { checkText } from '../../base/options/index.js'

/** How a number behaves: it goes up and down, or only up. */
export type MetricKind = 'gauge' | 'counter'

/** What is known of a metric. */
export interface MetricFacts {
  readonly kind: MetricKind
  /** Its name for Prometheus: base units, the unit at the end, `_total` on counters, `_ratio` from 0 to 1. */
  readonly exported: string
  readonly help: string
  /** What tells its parts from each other, for Prometheus. A gauge's are metrics too: `effectiveBits/layers.0` is one of `layer`. Default: nothing does. */
  readonly label?: string
}

/** A metric that has a meaning here. */
export type MetricName =
  | 'loss'
  | 'step'
  | 'tokens'
  | 'stepSeconds'
  | 'dataSeconds'
  | 'checkpointSeconds'
  | 'programs'
  | 'learningRate'
  | 'lossScale'
  | 'gradNorm'
  | 'paramNorm'
  | 'updateNorm'
  | 'unchanged'
  | 'updatesLost'
  | 'gradUnderflow'
  | 'nonFinite'
  | 'effectiveBits'
  | 'heapBytes'
  | 'residentBytes'

/** The metrics of a run, by the name under which a step gives them. */
export const metrics: Readonly<Record<MetricName, MetricFacts>> = {
  loss: { kind: 'gauge', exported: 'train_loss', help: 'Loss of the last step' },
  step: { kind: 'counter', exported: 'train_steps_total', help: 'Steps made' },
  tokens: { kind: 'counter', exported: 'train_tokens_total', help: 'Tokens, or samples, trained on' },
  stepSeconds: { kind: 'gauge', exported: 'train_step_seconds', help: 'Time of the last step' },
  dataSeconds: {
    kind: 'counter',
    exported: 'train_input_wait_seconds_total',
    help: 'Time spent waiting for data',
  },
  checkpointSeconds: {
    kind: 'counter',
    exported: 'train_checkpoint_wait_seconds_total',
    help: 'Time that steps spent saving checkpoints',
  },
  programs: {
    kind: 'counter',
    exported: 'train_programs_total',
    help: 'Programs recorded for compiled functions: more with every new shape',
  },
  learningRate: { kind: 'gauge', exported: 'train_learning_rate', help: 'Learning rate of the last step' },
  lossScale: { kind: 'gauge', exported: 'train_loss_scale', help: 'What the loss is multiplied by' },
  gradNorm: { kind: 'gauge', exported: 'train_grad_norm', help: 'Norm of all gradients' },
  paramNorm: { kind: 'gauge', exported: 'train_param_norm', help: 'Norm of all parameters' },
  updateNorm: { kind: 'gauge', exported: 'train_update_norm', help: 'Norm of the parameter update' },
  unchanged: {
    ...{ kind: 'gauge', exported: 'train_params_unchanged_ratio' },
    help: 'Share of the parameters that the step left as they were',
  },
  updatesLost: {
    ...{ kind: 'gauge', exported: 'train_updates_lost_ratio' },
    help: 'Share of the updates that are not 0 and changed nothing: under half an ulp of their parameter',
  },
  gradUnderflow: {
    ...{ kind: 'gauge', exported: 'train_grad_underflow_ratio' },
    help: 'Share of the gradients below the smallest normal number of their dtype',
  },
  nonFinite: {
    ...{ kind: 'counter', exported: 'train_nonfinite_total', label: 'where' },
    help: 'Elements of parameters and gradients that were NaN or infinite when they were looked at, and losses',
  },
  effectiveBits: {
    ...{ kind: 'gauge', exported: 'train_effective_bits', label: 'layer' },
    help: 'Bits of the gradient that are right, by layer, as last sampled',
  },
  heapBytes: { kind: 'gauge', exported: 'train_heap_bytes', help: 'Memory of JavaScript values' },
  residentBytes: { kind: 'gauge', exported: 'train_resident_bytes', help: 'Memory of the process' },
}

/** All of them. */
export const metricNames: readonly MetricName[] = Object.keys(metrics) as MetricName[]

/** Those that only grow. */
export const counters: ReadonlySet<string> = new Set(
  metricNames.filter((name) => metrics[name].kind === 'counter'),
)

/** Everything this package exports begins with it. */
export const prefix = 'tpu_toolkit_'

/** Whether a name is one of those that have a meaning here. */
export function isMetric(name: string): name is MetricName {
  return Object.hasOwn(metrics, name)
}

/** A part of a gauge that has a label. */
interface Labelled {
  readonly metric: MetricName
  readonly label: string
  readonly part: string
}

/** What `effectiveBits/layers.0` is a part of; undefined for names that have none. */
export function labelled(name: string): Labelled | undefined {
  const at = name.indexOf('/')
  const metric = name.slice(0, at)
  if (at < 0 || !isMetric(metric)) return undefined
  const { kind, label } = metrics[metric]
  return kind === 'counter' || label === undefined ? undefined : { metric, label, part: name.slice(at + 1) }
}

/**
 * The name under which Prometheus knows a metric; one of a run's own, `accuracy` say, becomes `tpu_toolkit_train_accuracy`, and what
 * names cannot hold becomes _. A part of a metric with a label is the series of that label.
 *
 * @example exportedName('loss') // tpu_toolkit_train_loss
 * exportedName('val/top-1') // tpu_toolkit_train_val_top_1
 * exportedName('effectiveBits/layers.0') // tpu_toolkit_train_effective_bits{layer="layers.0"}
 */
export function exportedName(name: string): string {
  checkText('exportedName', 'name', name)
  if (isMetric(name)) return `${prefix}${metrics[name].exported}`
  const series = labelled(name)
  if (series) {
    return `${prefix}${metrics[series.metric].exported}{${series.label}=${JSON.stringify(series.part)}}`
  }
  const plain = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
  return `${prefix}train_${plain.replaceAll(/[^a-z0-9]+/g, '_')}`
}
