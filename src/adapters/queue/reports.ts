import type { Metrics } from '../../experiments/sweep/index.js'
import { resultsChannel } from './jobId.js'
import type { Session } from './session.js'
import type { Taken } from './take.js'

/** How far a trial that somebody else runs is. */
interface TrialReport {
  readonly job: string
  readonly step: number
  readonly metrics: Metrics
}

/** What trials report, on its way to who waits for them. */
export interface Reports {
  /** The last report of a trial counts. */
  add(taken: Taken, step: number, metrics: Metrics): void
  /** Sends the pending reports. They are lost without a connection; the next report follows. */
  send(session: Session): Promise<void>
}

/** The bytes that PostgreSQL takes for a notification. */
const longest = 7999

export function openReports(): Reports {
  let last = new Map<string, { readonly sweep: string; readonly text: string }>()
  let sending = false
  return {
    add: ({ job, sweep }, step, metrics) => {
      const numbers = Object.entries(metrics).map(([name, value]) => [name, String(value)])
      const text = JSON.stringify({ job, step, metrics: Object.fromEntries(numbers) })
      if (Buffer.byteLength(text) <= longest) last.set(job, { sweep, text })
    },
    send: async (session) => {
      if (sending || last.size === 0) return
      sending = true
      const these = [...last.values()]
      last = new Map()
      try {
        const channels = these.map(({ sweep }) => resultsChannel(sweep))
        const texts = these.map(({ text }) => text)
        await session.use((connection) =>
          connection.query(
            'select pg_notify(channel, report) from unnest($1::text[], $2::text[]) as each(channel, report)',
            [channels, texts],
          ),
        )
      } finally {
        sending = false
      }
    },
  }
}

/** The report in a notification, which anybody who is connected may have sent; undefined for every other text. */
export function reportOf(text: string): TrialReport | undefined {
  let report: unknown
  try {
    report = JSON.parse(text)
  } catch {
    return undefined
  }
  const { job, step, metrics } = (report ?? {}) as Partial<Record<keyof TrialReport, unknown>>
  if (typeof job !== 'string' || typeof step !== 'number' || !isRecord(metrics)) return undefined
  const numbers = Object.entries(metrics).map(([name, value]) => [name, Number(String(value))])
  return { job, step, metrics: Object.fromEntries(numbers) }
}

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
