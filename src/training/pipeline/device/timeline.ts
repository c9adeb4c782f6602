import { checkArray, checkOptions, type OptionTable } from '../../../base/options/index.js'

/** What is busy: the host that makes batches, the copy engine, the device. */
export type TimelineLane = 'host' | 'copy' | 'compute'

/** A stretch in which a lane worked on a batch, in milliseconds from the beginning. */
export interface TimelineEvent {
  readonly lane: TimelineLane
  /** Which batch, from 0. */
  readonly batch: number
  readonly start: number
  readonly end: number
}

/** What overlapping has saved. */
export interface TimelineSummary {
  /** From the first event's beginning to the last one's end, in milliseconds. */
  readonly wall: number
  /** How long each lane was busy. */
  readonly busy: Readonly<Record<TimelineLane, number>>
  /** What the same work takes with nothing at the same time: the lanes' sum. */
  readonly serial: number
  /** serial / wall: 1 where nothing overlaps, 3 at most. */
  readonly speedup: number
}

const lanes: readonly TimelineLane[] = ['host', 'copy', 'compute']

/**
 * How long each lane was busy, and what that makes of the whole.
 *
 * @example timelineSummary([{ lane: 'copy', batch: 0, start: 0, end: 2 }, { lane: 'compute', batch: 0, start: 2, end: 4 }]).speedup // 1
 */
export function timelineSummary(events: readonly TimelineEvent[]): TimelineSummary {
  checkArray('timelineSummary', 'events', events)
  const busy = { host: 0, copy: 0, compute: 0 }
  let first = Number.POSITIVE_INFINITY
  let last = 0
  for (const { lane, start, end } of events) {
    busy[lane] += end - start
    first = Math.min(first, start)
    last = Math.max(last, end)
  }
  const wall = events.length === 0 ? 0 : last - first
  const serial = busy.host + busy.copy + busy.compute
  return { wall, busy, serial, speedup: wall === 0 ? 1 : serial / wall }
}

/** How a timeline is written. */
export interface TextOptions {
  /** Characters of a line between its marks. Default 72. */
  readonly width?: number
}

const textNames: OptionTable<TextOptions> = { width: 'optional' }

/**
 * A timeline as text: a line for each lane, in which a batch is its last digit, and the summary.
 *
 * @example timelineText([{ lane: 'host', batch: 0, start: 0, end: 3 }, { lane: 'copy', batch: 0, start: 3, end: 4 }], { width: 4 }).split('\n')[1] // 'copy    |   0|  25 %'
 */
export function timelineText(events: readonly TimelineEvent[], options: TextOptions = {}): string {
  checkArray('timelineText', 'events', events)
  checkOptions('timelineText', options, textNames)
  const { width = 72 } = options
  if (!(Number.isSafeInteger(width) && width > 0)) {
    throw new RangeError(`timelineText: width is not a positive integer [${String(width)}]`)
  }
  const { wall, busy, serial, speedup } = timelineSummary(events)
  const first = Math.min(...events.map(({ start }) => start))
  const lines = lanes.map((lane) => {
    const cells = new Array<string>(width).fill(' ')
    for (const event of events.filter((candidate) => candidate.lane === lane)) {
      const from = Math.round(((event.start - first) / wall) * width)
      const to = Math.round(((event.end - first) / wall) * width)
      cells.fill(
        String(event.batch % 10),
        Math.min(from, width - 1),
        Math.max(to, Math.min(from, width - 1) + 1),
      )
    }
    const share = wall === 0 ? 0 : (100 * busy[lane]) / wall
    return `${lane.padEnd(8)}|${cells.slice(0, width).join('')}|${share.toFixed(0).padStart(4)} %`
  })
  const total = `${wall.toFixed(1)} ms; one after the other ${serial.toFixed(1)} ms, ${speedup.toFixed(2)} times as long`
  return [...lines, total].join('\n')
}
