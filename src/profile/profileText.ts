import { checkRecord } from '../options/index.js'
import { type Column, textTable } from '../report/index.js'
import { readable } from '../text/index.js'
import { flameTable } from './flameTable.js'
import { profileBy } from './profileBy.js'
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

const right = { align: 'right' } as const

/** The columns of kinds of operations. */
export const groupColumns: readonly Column[] = [
  { key: 'name', header: 'operation' },
  { key: 'calls', ...right },
  { key: 'time', ...right },
  { key: 'share', ...right },
  { key: 'flops', header: 'FLOPs', ...right },
  { key: 'rate', ...right },
  { key: 'bytes', ...right },
  { key: 'traffic', ...right },
]

/** A row of them. */
export function groupRow(group: ReturnType<typeof profileBy>[number]): Record<string, string | number> {
  const { name, calls, microseconds, flops, bytes } = group
  return {
    ...{ name, calls: rounded(calls), time: time(microseconds), share: share(group.share) },
    flops: countShown(flops),
    rate: flops === 0 ? '–' : perSecond(flops / microseconds, 'FLOP'),
    bytes: bytesShown(bytes),
    traffic: bytes === 0 ? '–' : perSecond(bytes / microseconds, 'B'),
  }
}

/** The columns of source lines. */
export const flameColumns: readonly Column[] = [
  { key: 'line' },
  { key: 'total', ...right },
  { key: 'share', ...right },
  { key: 'self', ...right },
  { key: 'calls', ...right },
  { key: 'flops', header: 'FLOPs', ...right },
]

/** A row of them. */
export function flameRow(row: ReturnType<typeof flameTable>[number]): Record<string, string | number> {
  const { line, calls, selfMicroseconds, totalMicroseconds, totalShare, flops } = row
  return {
    ...{ line, total: time(totalMicroseconds), share: share(totalShare), self: time(selfMicroseconds) },
    ...{ calls: rounded(calls), flops: countShown(flops) },
  }
}

/** Calls, which are shares where a step does the work of several. */
const rounded = (calls: number): number => Math.round(calls * 10) / 10
