import {
  checkArray,
  checkFunction,
  checkName,
  checkNumber,
  checkOptions,
  checkText,
  type OptionTable,
} from '../../base/options/index.js'
import { exportedName, isMetric, metrics } from './metrics.js'
import type { Sample } from './sink.js'

/** When something is wrong with a run: a rule that Prometheus and this process understand alike. */
export interface AlertRule {
  /** Its name: LossNotFinite. */
  readonly alert: string
  /** The metric, by the name it has in a sample. */
  readonly metric: string
  /**
   * 'above', 'below': the metric beside the threshold; 'nan': it is NaN, which no comparison says; 'grows': a counter that went up within
   * `within` seconds; 'stands': a counter that has not for so long.
   */
  readonly when: 'above' | 'below' | 'nan' | 'grows' | 'stands'
  /** Of 'above' and 'below'. Default 0. */
  readonly threshold?: number
  /** Of 'grows' and 'stands', seconds. Default 300. */
  readonly within?: number
  /** How many seconds the condition must hold before the alert fires. Default 0. */
  readonly for?: number
  /** Default 'warning'. */
  readonly severity?: 'warning' | 'critical'
  /** What is wrong, and what to do. */
  readonly summary: string
}

const ruleNames: OptionTable<AlertRule> = {
  ...{ alert: 'required', metric: 'required', when: 'required', summary: 'required' },
  ...{ threshold: 'optional', within: 'optional', for: 'optional', severity: 'optional' },
}

/** A rule that has begun to hold long enough, or does no more. */
export interface Alert {
  readonly rule: AlertRule
  readonly firing: boolean
  readonly step: number
  /** Seconds since 1970. */
  readonly time: number
  readonly value: number
}

/** The default rules. */
export const defaultAlerts: readonly AlertRule[] = [
  {
    ...{ alert: 'LossNotFinite', metric: 'nonFinite', when: 'grows', severity: 'critical' },
    summary:
      'NaN or infinity in the loss, the gradients or the parameters: findFirstNonFinite of tpu-toolkit/autodiff names the operation',
  },
  {
    ...{ alert: 'LossIsNaN', metric: 'loss', when: 'nan', severity: 'critical' },
    summary: 'The loss is NaN',
  },
  {
    ...{ alert: 'UpdatesLost', metric: 'updatesLost', when: 'above', threshold: 0.5, for: 60 },
    summary:
      'More than half of the updates round away: keep a float32 copy of the parameters, or round stochastically',
  },
  {
    ...{ alert: 'GradientsUnderflow', metric: 'gradUnderflow', when: 'above', threshold: 0.1, for: 60 },
    summary: 'A tenth of the gradients is subnormal: scale the loss, or take bfloat16',
  },
  {
    ...{ alert: 'GradientBitsLost', metric: 'effectiveBits', when: 'below', threshold: 2 },
    summary:
      'The gradient of a layer has fewer than two bits that are right: shadow of tpu-toolkit/precision says where they went',
  },
  {
    ...{ alert: 'LossScaleCollapsed', metric: 'lossScale', when: 'below', threshold: 1 },
    summary: 'The loss scale fell below 1: gradients overflow at any scale',
  },
  {
    ...{ alert: 'NoSteps', metric: 'step', when: 'stands', within: 300, for: 300, severity: 'critical' },
    summary: 'No step in five minutes',
  },
]

/** Throws unless these are rules. */
export function checkRules(op: string, rules: readonly AlertRule[]): void {
  checkArray(op, 'rules', rules)
  const seen = new Set<string>()
  for (const rule of rules) {
    checkOptions(`${op}, a rule`, rule, ruleNames)
    checkText(op, 'alert', rule.alert)
    checkText(op, 'metric', rule.metric)
    checkText(op, 'summary', rule.summary)
    checkName(op, 'when', rule.when, ['above', 'below', 'nan', 'grows', 'stands'])
    checkName(op, 'severity', rule.severity ?? 'warning', ['warning', 'critical'])
    checkNumber(op, 'threshold', rule.threshold ?? 0)
    checkNumber(op, 'within', rule.within ?? 300, 1)
    checkNumber(op, 'for', rule.for ?? 0, 0)
    if (!/^[A-Za-z_]\w*$/.test(rule.alert)) {
      throw new RangeError(`${op}: the name of an alert is not one word [${rule.alert}]`)
    }
    if (seen.has(rule.alert)) throw new RangeError(`${op}: two alerts have one name [${rule.alert}]`)
    seen.add(rule.alert)
  }
}

/** The state of a rule during a run. */
interface Standing {
  /** Since when it holds; undefined where it does not. */
  since: number | undefined
  firing: boolean
  /** The last reported value of the metric: not every step reports every one. */
  value: number | undefined
  /** The last value of a counter, and when the sample came before which it last grew. */
  last: { readonly time: number; readonly value: number } | undefined
  grewFrom: number
}

/**
 * Rules applied sample by sample, as Prometheus does at each evaluation: a rule that holds is pending, and fires when it has held for
 * `for` seconds; `tell` gets each alert when it begins and when it ends. A metric that a sample does not have is as it was. A rule that 'stands' is for Prometheus: a run that makes no steps
 * has no samples.
 *
 * @example const fired = []
 * const watch = watchAlerts([{ alert: 'High', metric: 'loss', when: 'above', threshold: 3, summary: '' }], ({ firing }) => fired.push(firing))
 * [1, 4, 5, 2].forEach((loss) => watch({ step: 1, time: 0, values: { loss }, nonFinite: {} })) // undefined
 * fired // [true, false]
 */
export function watchAlerts(
  rules: readonly AlertRule[],
  tell: (alert: Alert) => void,
): (sample: Sample) => void {
  checkRules('watchAlerts', rules)
  checkFunction('watchAlerts', 'tell', tell)
  const standings = rules.map(
    (): Standing => ({
      ...{ since: undefined, firing: false, value: undefined, last: undefined, grewFrom: -Infinity },
    }),
  )
  return ({ step, time, values }) => {
    for (let i = 0; i < rules.length; i++) {
      const [rule, standing] = [rules[i]!, standings[i]!]
      const value = values[rule.metric] ?? standing.value
      if (value === undefined) continue
      standing.value = value
      const holds = isHeld(rule, standing, time, value)
      standing.since = holds ? (standing.since ?? time) : undefined
      const firing = standing.since !== undefined && time - standing.since >= (rule.for ?? 0)
      if (firing === standing.firing) continue
      standing.firing = firing
      tell({ rule, firing, step, time, value })
    }
  }
}

function isHeld(rule: AlertRule, standing: Standing, time: number, value: number): boolean {
  const { when, threshold = 0, within = 300 } = rule
  if (when === 'above') return value > threshold
  if (when === 'below') return value < threshold
  if (when === 'nan') return Number.isNaN(value)
  const { last } = standing
  standing.last = { time, value }
  if (last && value > last.value) standing.grewFrom = last.time
  // Prometheus says nothing of a counter that it has seen once as far back as it looks.
  if (!last || last.time < time - within) return false
  const grew = standing.grewFrom >= time - within
  return when === 'grows' ? grew : !grew
}

/** A rule as an expression of Prometheus. */
export function alertExpression({ metric, when, threshold = 0, within = 300 }: AlertRule): string {
  const name = seriesOf(metric)
  if (when === 'above') return `${name} > ${threshold}`
  if (when === 'below') return `${name} < ${threshold}`
  if (when === 'nan') return `${name} != ${name}`
  return `increase(${name}[${within}s]) ${when === 'grows' ? '>' : '=='} 0`
}

/** The series of a metric; of a gauge with a label what the step tells under its bare name, the least of its parts. */
function seriesOf(metric: string): string {
  const name = exportedName(metric)
  if (!isMetric(metric)) return name
  const { kind, label } = metrics[metric]
  return kind === 'counter' || label === undefined ? name : `min without (${label}) (${name})`
}

/**
 * The rules as a file of Prometheus: `rule_files: [alerts.yml]`.
 *
 * @example prometheusRules([{ alert: 'LossIsNaN', metric: 'loss', when: 'nan', summary: 'The loss is NaN' }]).split('\n')[4].trim() // expr: "tpu_toolkit_train_loss != tpu_toolkit_train_loss"
 */
export function prometheusRules(rules: readonly AlertRule[] = defaultAlerts): string {
  checkRules('prometheusRules', rules)
  // A JSON text is a YAML scalar.
  const lines = rules.flatMap((rule) => [
    `      - alert: ${rule.alert}`,
    `        expr: ${JSON.stringify(alertExpression(rule))}`,
    `        for: ${rule.for ?? 0}s`,
    `        labels: { severity: ${rule.severity ?? 'warning'} }`,
    `        annotations: { summary: ${JSON.stringify(rule.summary)} }`,
  ])
  return ['groups:', '  - name: tpu-toolkit', '    rules:', ...lines, ''].join('\n')
}
