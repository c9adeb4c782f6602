import { checkRecord } from '../../base/options/index.js'
import type { ProfiledOperation, RunProfile } from './runProfile.js'

/** One event of a trace. Times are microseconds, whole nanoseconds. */
export interface TraceEvent {
  readonly ph: 'X' | 'M' | 'C'
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly ts?: number
  readonly dur?: number
  readonly cat?: string
  readonly args?: Readonly<Record<string, string | number>>
}

/** A whole trace, as `JSON.stringify` makes a file of it. */
export interface ChromeTrace {
  readonly traceEvents: readonly TraceEvent[]
  readonly displayTimeUnit: 'ns'
  readonly otherData: Readonly<Record<string, string | number>>
}

/**
 * A profile as Chrome's trace events, which ui.perfetto.dev and chrome://tracing open: the run, within it operations and steps of
 * programs, one inside of another where they ran so, and the memory of values as a counter.
 *
 * Source    Trace Event Format (Google, document of 2016); what Perfetto's trace processor v52 takes without an error
 *
 * @example chromeTrace(profile(() => exp(zeros([4])), { runs: 1 })).traceEvents.filter(({ ph }) => ph === 'X').map(({ name }) => name.slice(0, 3)) // ['run', 'exp']
 */
export function chromeTrace(profile: RunProfile): ChromeTrace {
  checkRecord('chromeTrace', 'profile', profile, ['operations', 'microseconds', 'name'])
  const { operations, microseconds, name } = profile
  const place = { pid: 1, tid: 1 }
  const meta = (kind: string, text: string): TraceEvent => ({
    ...{ ph: 'M', name: kind, ...place, args: { name: text } },
  })
  const counters = operations.flatMap(({ start, alive }): TraceEvent[] =>
    alive === undefined
      ? []
      : [{ ph: 'C', name: 'memory', ...place, ts: nanoseconds(start), args: { bytes: alive } }],
  )
  return {
    traceEvents: [
      meta('process_name', 'tpu-toolkit'),
      meta('thread_name', 'operations'),
      { ph: 'X', name: `run ${name}`, cat: 'run', ...place, ...stretch(0, microseconds) },
      ...operations.map(
        (operation): TraceEvent => ({
          ...{ ph: 'X', name: operation.name, cat: operation.kind, ...place },
          ...stretch(operation.start, operation.start + operation.microseconds),
          args: argumentsOf(operation),
        }),
      ),
      ...counters,
    ],
    displayTimeUnit: 'ns',
    otherData: { clock: 'time as measured on this machine', run: name, flops: profile.flops },
  }
}

function argumentsOf({
  operations,
  dtype,
  shape,
  flops,
  bytes,
  memory,
  stacks,
  product,
}: ProfiledOperation): NonNullable<TraceEvent['args']> {
  const lines = [...new Set(stacks.flatMap((stack) => stack.slice(0, 1)))]
  return {
    ...{ operations: operations.join(' '), dtype, shape: `[${shape.join(', ')}]`, flops, bytes, memory },
    ...product,
    ...(lines.length > 0 ? { lines: lines.join(' ') } : {}),
  }
}

/** From one time to another, both to the nanosecond: what lies within another does so still. */
function stretch(from: number, to: number): { readonly ts: number; readonly dur: number } {
  const ts = nanoseconds(from)
  return { ts, dur: Math.round((nanoseconds(to) - ts) * 1000) / 1000 }
}

function nanoseconds(microseconds: number): number {
  return Math.round(microseconds * 1000) / 1000
}
