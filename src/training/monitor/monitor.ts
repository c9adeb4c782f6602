import {
  checkArray,
  checkFlag,
  checkFunction,
  checkInteger,
  checkNumber,
  checkOptions,
  checkRecord,
  type OptionTable,
  shown,
} from '../../base/options/index.js'
import { recordedPrograms } from '../../tensors/compile/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import { type Alert, type AlertRule, defaultAlerts, watchAlerts } from './alerts.js'
import { healthOf } from './healthOf.js'
import { counters } from './metrics.js'
import type { Sample, Sink } from './sink.js'

/** A step as reported by `train` or a custom loop. */
export interface MonitoredStep {
  readonly step: number
  /** What the step measured: the loss, and what else there is. */
  readonly metrics: Readonly<Record<string, number>>
  /** The state after the step and before it, whose `params` are examined now and then. */
  readonly point?: object
  readonly before?: object
  /** Seconds of the step, of waiting for its data, and of saving a checkpoint before it. */
  readonly seconds?: { readonly step: number; readonly data: number; readonly save?: number }
}

/** What becomes of a run's numbers. */
export interface MonitorOptions {
  /** Where they go. What a sink throws does not end the run: the first error of each is a line on stderr. */
  readonly sinks?: readonly Sink[]
  /**
   * Steps between two looks at the parameters: norms, updates lost, NaN by leaf. 0: none. Default: 50, and one is left out where looks have
   * taken more than a two-hundredth of the time so far.
   */
  readonly every?: number
  /** Tokens, or samples, of a step. Default: not counted. */
  readonly tokensPerStep?: number
  /** Rules that are watched. Default: `defaultAlerts`. */
  readonly alerts?: readonly AlertRule[]
  /** Called with each alert when it begins and ends. Default: a line on stderr when it begins. */
  readonly onAlert?: (alert: Alert) => void
  /** Whether memory is measured. Default true. */
  readonly memory?: boolean
  /** Seconds since 1970. Default: the clock. */
  readonly now?: () => number
}

const names: OptionTable<MonitorOptions> = {
  ...{ sinks: 'optional', every: 'optional', tokensPerStep: 'optional', alerts: 'optional' },
  ...{ onAlert: 'optional', memory: 'optional', now: 'optional' },
}

/** What `train` takes as its monitor. */
export interface RunMonitor {
  /** Called after each step. */
  readonly onStep: (step: MonitoredStep) => void
  /** Closes the sinks. */
  readonly onEnd: () => Promise<void>
}

/**
 * The numerical health of a run, step by step: what the step measured, its time, memory, and now and then what its parameters look
 * like, to files, to a server of metrics, and to rules that say what is wrong.
 *
 * Rounding  none: it only observes. A NaN metric is passed on as NaN.
 * Cost      a step a few microseconds and its sinks'; a look at the parameters a pass over them, about 10 ns an element, by default no more
 *           than a two-hundredth of the time. `npm run bench:monitor` measures both.
 *
 * @example const rows = []
 * const watched = monitor({ sinks: [{ write: ({ values }) => rows.push(values.loss), close: () => undefined }], memory: false })
 * watched.onStep({ step: 1, metrics: { loss: 0.5 } }) // undefined
 * rows // [0.5]
 */
export function monitor(options: MonitorOptions = {}): RunMonitor {
  checkOptions('monitor', options, names)
  const { sinks = [], every, tokensPerStep, alerts = defaultAlerts, memory = true } = options
  const { onAlert = tellOnStderr, now = () => Date.now() / 1000 } = options
  checkArray('monitor', 'sinks', sinks)
  for (const sink of sinks) checkRecord('monitor', 'a sink', sink, ['write', 'close'])
  if (every !== undefined) checkInteger('monitor', 'every', every)
  if (tokensPerStep !== undefined) checkNumber('monitor', 'tokensPerStep', tokensPerStep, 0)
  checkFunction('monitor', 'onAlert', onAlert)
  checkFunction('monitor', 'now', now)
  checkFlag('monitor', 'memory', memory)
  const watch = watchAlerts(alerts, onAlert)
  const guarded = sinks.map(guard)
  const programsBefore = recordedPrograms()
  const isDue = every === undefined ? lookBudget() : (step: number) => every > 0 && step % every === 0 && once
  const readMemory = memoryReader()
  /** Counters of the run, and elements that were not finite by leaf: another record whenever there are more. */
  const totals: Record<string, number> = { nonFinite: 0 }
  let nonFinite: Readonly<Record<string, number>> = {}
  const add = (name: string, by: number): number => {
    const total = (totals[name] ?? 0) + by
    totals[name] = total
    return total
  }
  const strange = (where: string, by: number): void => {
    nonFinite = { ...nonFinite, [where]: (nonFinite[where] ?? 0) + by }
    add('nonFinite', by)
  }
  return {
    onStep(record) {
      const { step, seconds, metrics: measured } = record
      const time = now()
      const values: Record<string, number> = {}
      for (const name in measured) {
        const value = measured[name]!
        values[name] = counters.has(name) ? add(name, value) : value
      }
      const { loss } = measured
      if (loss !== undefined && !Number.isFinite(loss)) strange('loss', 1)
      values['step'] = step
      if (tokensPerStep !== undefined) values['tokens'] = add('tokens', tokensPerStep)
      if (seconds) {
        values['stepSeconds'] = seconds.step
        values['dataSeconds'] = add('dataSeconds', seconds.data)
        if (seconds.save) values['checkpointSeconds'] = add('checkpointSeconds', seconds.save)
      }
      const programs = recordedPrograms() - programsBefore
      if (programs > 0) values['programs'] = programs
      if (memory) {
        const { heapUsed, rss } = readMemory(time)
        values['heapBytes'] = heapUsed
        values['residentBytes'] = rss
      }
      const look = isDue(step)
      if (look) {
        const { nonFinite: found, ...health } = look(() => lookedAt(record))
        Object.assign(values, health)
        for (const [where, count] of Object.entries(found ?? {})) strange(where, count)
      }
      values['nonFinite'] = totals['nonFinite']!
      const sample: Sample = { step, time, values, nonFinite }
      for (const sink of guarded) sink.write(sample)
      watch(sample)
    },
    async onEnd() {
      for (const sink of guarded) await sink.close()
    },
  }
}

/** A sink whose errors do not end the run: the first one is a line on stderr. Later samples are written as before. */
function guard(sink: Sink): Sink {
  let reported = false
  const report = (thrown: unknown): void => {
    if (reported) return
    reported = true
    const why = thrown instanceof Error ? thrown.message : shown(thrown)
    process.stderr.write(`monitor: a sink failed, the run continues [${why}]\n`)
  }
  const attempt = async (work: () => unknown): Promise<void> => {
    try {
      await work()
    } catch (thrown) {
      report(thrown)
    }
  }
  return {
    write: (sample) => {
      attempt(() => sink.write(sample))
    },
    close: () => attempt(() => sink.close()),
  }
}

function lookedAt({ point, before }: MonitoredStep): Partial<ReturnType<typeof healthOf>> {
  const params = paramsOf(point)
  if (params === undefined) return {}
  const earlier = paramsOf(before)
  return healthOf(earlier === undefined ? { params } : { params, before: earlier })
}

function paramsOf(point: object | undefined): Treelike | undefined {
  return point && 'params' in point ? (point.params as Treelike) : undefined
}

/** Runs a look, and keeps account of what it takes. */
type Look = <T>(look: () => T) => T

const once: Look = (look) => look()

/** A look every 50 steps, unless looks have taken more than a two-hundredth of the time since the first one began. */
function lookBudget(): (step: number) => Look | false {
  let spent = 0
  let first: number | undefined
  const measured: Look = (look) => {
    const began = performance.now()
    first ??= began
    const result = look()
    spent += performance.now() - began
    return result
  }
  return (step) => {
    if (step % 50 !== 0) return false
    return first === undefined || spent <= (performance.now() - first) / 200 ? measured : false
  }
}

/** Memory as it was at most half a second ago: to ask takes as long as a small step. */
function memoryReader(): (time: number) => Pick<NodeJS.MemoryUsage, 'heapUsed' | 'rss'> {
  let asked = -Infinity
  let known = { heapUsed: 0, rss: 0 }
  return (time) => {
    // A clock that was set back is no reason to stop asking.
    if (!(Math.abs(time - asked) <= 0.5)) {
      asked = time
      known = process.memoryUsage()
    }
    return known
  }
}

function tellOnStderr({ rule, firing, step, value }: Alert): void {
  if (!firing) return
  process.stderr.write(
    `${rule.severity ?? 'warning'}: ${rule.alert} at step ${step} [${value}]: ${rule.summary}\n`,
  )
}
