import { checkRecord } from '../../base/options/index.js'
import { readable } from '../../base/text/index.js'
import { type Column, type Row, textTable } from '../../report/index.js'
import { type FlameRow, flameTable } from './flameTable.js'
import { type ProfileGroup, profileBy } from './profileBy.js'
import { bytesShown, countShown, perSecond, share, time } from './quantities.js'
import type { RunProfile } from './runProfile.js'

/** How many rows a table of a text has. */
const shownRows = 12

/**
 * A profile as text for a terminal, no line longer than `width`: the whole, each kind of operation, the source lines.
 *
 * @example profileText(profile(() => exp(zeros([4])), { runs: 1, name: 'one' })).startsWith('one: ') // true
 */
export function profileText(profile: RunProfile, width?: number): string {
  checkRecord('profileText', 'profile', profile, ['operations', 'microseconds', 'name'])
  const fitted = width === undefined ? {} : { width }
  const groups = profileBy(profile, 'name').slice(0, shownRows)
  const lines = flameTable(profile).slice(0, shownRows)
  return [
    summaryOf(profile),
    textTable(groupColumns, groups.map(groupRow), fitted),
    ...(lines.some(({ line }) => line.includes(':'))
      ? [textTable(flameColumns, lines.map(flameRow), fitted)]
      : []),
  ].join('\n\n')
}

/** A profile in a sentence or two. */
export function summaryOf(profile: RunProfile): string {
  const { name, operations, microseconds, outsideMicroseconds, runs, flops, peakBytes, programs } = profile
  const sentences = [
    `${name}: ${time(microseconds)}, the quickest of ${readable(runs.length)} ${runs.length === 1 ? 'run' : 'runs'}; ${readable(operations.length)} operations and steps, ${share(outsideMicroseconds / microseconds)} outside of them.`,
    `${countShown(flops)} FLOPs, ${perSecond(flops / microseconds, 'FLOP')}${peakBytes === undefined ? '' : `; at most ${bytesShown(peakBytes)} of values at once`}.`,
    ...(programs > 0 ? [`${programs} recorded anew in this run: something is compiled at every call.`] : []),
    ...(profile.steady ? [] : ['The runs did not do the same operations: lines and memory are unknown.']),
  ]
  return sentences.join('\n')
}

/** Numbers shown by a function, and a dash where there is none. */
export function shownBy(text: (x: number) => string): Pick<Column, 'align' | 'show'> {
  return { align: 'right', show: (value) => (typeof value === 'number' ? text(value) : '–') }
}

/** Calls, which are shares where a step does the work of several. */
const calls = shownBy((count) => readable(Math.round(count * 10) / 10))

/** The columns of kinds of operations. */
export const groupColumns: readonly Column[] = [
  { key: 'name', header: 'operation' },
  { key: 'calls', ...calls },
  { key: 'time', ...shownBy(time) },
  { key: 'share', ...shownBy(share) },
  { key: 'flops', header: 'FLOPs', ...shownBy(countShown) },
  { key: 'rate', ...shownBy((rate) => perSecond(rate, 'FLOP')) },
  { key: 'bytes', ...shownBy(bytesShown) },
  { key: 'traffic', ...shownBy((rate) => perSecond(rate, 'B')) },
]

/** A row of them. */
export function groupRow({ microseconds, memory, ...group }: ProfileGroup): Row {
  const { flops, bytes } = group
  const per = (count: number): number | null => (count === 0 ? null : count / microseconds)
  return { ...group, time: microseconds, memory, rate: per(flops), traffic: per(bytes) }
}

/** The columns of source lines. */
export const flameColumns: readonly Column[] = [
  { key: 'line' },
  { key: 'total', ...shownBy(time) },
  { key: 'share', ...shownBy(share) },
  { key: 'self', ...shownBy(time) },
  { key: 'calls', ...calls },
  { key: 'flops', header: 'FLOPs', ...shownBy(countShown) },
]

/** A row of them. */
export function flameRow(row: FlameRow): Row {
  const { line, selfMicroseconds, totalMicroseconds, totalShare, flops } = row
  const own = { total: totalMicroseconds, share: totalShare, self: selfMicroseconds }
  return { line, ...own, calls: row.calls, flops }
}
