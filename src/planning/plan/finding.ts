/** The rules that are checked, in the order in which they are reported. */
export type Rule =
  | 'flags'
  | 'flags-before-import'
  | 'memory'
  | 'head-alignment'
  | 'vocabulary-alignment'
  | 'critical-batch'
  | 'changing-shapes'
  | 'batch-over-fsdp'
  | 'parameters-divide'
  | 'pipeline-divides'
  | 'pipeline-bubble'
  | 'pipeline-stages'
  | 'pipeline-in-flight'
  | 'accumulation'
  | 'beta2'
  | 'cumsum'
  | 'covariance'
  | 'clock-bias'
  | 'donation'
  | 'all-reduce-dtype'
  | 'host-transfers'
  | 'data-rate'
  | 'storage-region'
  | 'tpu-not-found'
  | 'fsdp-axis'
  | 'pmap'
  | 'disable-jit'
  | 'mark-step'
  | 'log-device-placement'
  | 'compilation-cache'
  | 'worker-count'
  | 'prefetch'

/** Every rule by its name, in the order of `Rule`. */
export const rules: readonly Rule[] = [
  'flags',
  'flags-before-import',
  'memory',
  'head-alignment',
  'vocabulary-alignment',
  'critical-batch',
  'changing-shapes',
  'batch-over-fsdp',
  'parameters-divide',
  'pipeline-divides',
  'pipeline-bubble',
  'pipeline-stages',
  'pipeline-in-flight',
  'accumulation',
  'beta2',
  'cumsum',
  'covariance',
  'clock-bias',
  'donation',
  'all-reduce-dtype',
  'host-transfers',
  'data-rate',
  'storage-region',
  'tpu-not-found',
  'fsdp-axis',
  'pmap',
  'disable-jit',
  'mark-step',
  'log-device-placement',
  'compilation-cache',
  'worker-count',
  'prefetch',
]

/** A rule that is broken: what is wrong, by which numbers, and what to do. */
export interface PlanFinding {
  readonly rule: Rule
  /** 'error': it does not run, or computes something else; 'warning': it costs; 'note': it may. */
  readonly severity: 'error' | 'warning' | 'note'
  readonly what: string
  /** The numbers that say so, with their units. */
  readonly evidence: string
  readonly remedy: string
}

/** A number to read: three digits, in units that suit it. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
  const at = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${Number((bytes / 1000 ** at).toPrecision(3))} ${units[at]}`
}

/** A duration to read. */
export function secondsText(seconds: number): string {
  if (seconds >= 1) return `${Number(seconds.toPrecision(3))} s`
  return seconds >= 1e-3
    ? `${Number((seconds * 1e3).toPrecision(3))} ms`
    : `${Number((seconds * 1e6).toPrecision(3))} µs`
}
