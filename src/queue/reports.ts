import type { Metrics } from '../sweep/index.js'
import { resultsChannel } from './jobId.js'
import type { Session } from './session.js'
import type { Taken } from './take.js'

/** How far a trial that somebody else runs is. */
interface ToldReport {
  readonly job: string
  readonly step: number
  readonly metrics: Metrics
}

/** What trials report, on its way to who waits for them. */
export interface Reports {
  /** The last report of a trial counts. */
  add(taken: Taken, step: number, metrics: Metrics): void
  /** Tells what there is. Lost where there is no connection: the next report comes. */
  tell(session: Session): Promise<void>
}

/** The bytes that PostgreSQL takes for a notification. */
const longest = 7999

export function openReports(): Reports {
  let last = new Map<string, { readonly sweep: string; readonly text: string }>()
  let telling = false
  return {
    add: ({ job, sweep }, step, metrics) => {
      const numbers = Object.entries(metrics).map(([name, value]) => [name, String(value)])
      const text = JSON.stringify({ job, step, metrics: Object.fromEntries(numbers) })
      if (Buffer.byteLength(text) <= longest) last.set(job, { sweep, text })
    },
    tell: async (session) => {
      if (telling || last.size === 0) return
      telling = true
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
        telling = false
      }
    },
  }
}

/** The report in a notification; undefined where it is none, but says that a job ended. */
export function reportOf(text: string): ToldReport | undefined {
  if (!text.startsWith('{')) return undefined
  const { job, step, metrics } = JSON.parse(text) as {
    readonly job: string
    readonly step: number
    readonly metrics: Readonly<Record<string, string>>
  }
  const numbers = Object.entries(metrics).map(([name, value]) => [name, Number(value)])
  return { job, step, metrics: Object.fromEntries(numbers) }
}
