import { checkText } from '../options/index.js'

/** How a number behaves: it goes up and down, or only up. */
export type MetricKind = 'gauge' | 'counter'

/** What is known of a metric. */
export interface MetricFacts {
  readonly kind: MetricKind
  /** Its name for Prometheus: base units, the unit at the end, `_total` on counters, `_ratio` from 0 to 1. */
  readonly exported: string
  readonly help: string
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
  updateNorm: { kind: 'gauge', exported: 'train_update_norm', help: 'Norm of what the step changed' },
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
    ...{ kind: 'counter', exported: 'train_nonfinite_total' },
    help: 'Elements of parameters and gradients that were NaN or infinite when they were looked at, and losses',
  },
  effectiveBits: {
    ...{ kind: 'gauge', exported: 'train_effective_bits' },
    help: 'Bits of the result that are right, as the precision doctor samples them',
  },
  heapBytes: { kind: 'gauge', exported: 'train_heap_bytes', help: 'Memory of JavaScript values' },
  residentBytes: { kind: 'gauge', exported: 'train_resident_bytes', help: 'Memory of the process' },
}

/** All of them. */
export const metricNames: readonly MetricName[] = Object.keys(metrics) as MetricName[]

/** Everything this package exports begins with it. */
export const prefix = 'tpu_toolkit_'

/**
 * The name under which Prometheus knows a metric; one of a run's own, `accuracy` say, becomes `tpu_toolkit_train_accuracy`, and what
 * names cannot hold becomes _.
 *
 * @example exportedName('loss') // tpu_toolkit_train_loss
 * exportedName('val/top-1') // tpu_toolkit_train_val_top_1
 */
export function exportedName(name: string): string {
  checkText('exportedName', 'name', name)
  if (isMetric(name)) return `${prefix}${metrics[name].exported}`
  const plain = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
  return `${prefix}train_${plain.replaceAll(/[^a-z0-9]+/g, '_')}`
}

/** Whether a name is one of those that have a meaning here. */
export function isMetric(name: string): name is MetricName {
  return Object.hasOwn(metrics, name)
}
