import {
  checkArray,
  checkOptions,
  checkRecord,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { readable } from '../../base/text/index.js'
import {
  type Figure,
  htmlPage,
  htmlTable,
  lineFigure,
  type PlotSize,
  type Section,
  timelinePlot,
  twoWidths,
} from '../../report/index.js'
import type { BottleneckReport } from './bottlenecks.js'
import { flameTable } from './flameTable.js'
import { profileBy } from './profileBy.js'
import { flameColumns, flameRow, groupColumns, groupRow, shownBy, summaryOf } from './profileText.js'
import { bytesShown, countShown, share, time } from './quantities.js'
import type { RunProfile } from './runProfile.js'

/** Additional content of the page. */
export interface ProfilePageOptions {
  /** Of this machine, of chips. Default: none. */
  readonly bottlenecks?: readonly BottleneckReport[]
}

const names: OptionTable<ProfilePageOptions> = { bottlenecks: 'optional' }

/** More stretches than this are too narrow to be seen: the longest are drawn. */
const drawn = 400

/**
 * A profile as a self-contained page: the operations, when each of them ran, the source lines, memory, and what bounds them.
 *
 * @example profilePage(profile(() => exp(zeros([4])), { runs: 1 })).startsWith('<!doctype html>') // true
 */
export function profilePage(profile: RunProfile, options: ProfilePageOptions = noOptions): string {
  checkRecord('profilePage', 'profile', profile, ['operations', 'microseconds', 'name'])
  checkOptions('profilePage', options, names)
  const { bottlenecks = [] } = options
  checkArray('profilePage', 'bottlenecks', bottlenecks)
  const { name, microseconds, outsideMicroseconds, operations, flops, peakBytes, runs } = profile
  return htmlPage({
    title: `Profile: ${name}`,
    lead: 'Where the time of a run goes, operation by operation, and what led there.',
    facts: {
      'the quickest run': time(microseconds),
      'runs measured': readable(runs.length),
      'operations and steps': readable(operations.length),
      'outside of them': share(outsideMicroseconds / microseconds),
      FLOPs: countShown(flops),
      ...(peakBytes === undefined ? {} : { 'values at once': bytesShown(peakBytes) }),
    },
    sections: [
      whereSection(profile),
      ...(peakBytes === undefined ? [] : [linesSection(profile), memorySection(profile)]),
      ...bottlenecks.map(boundSection),
    ],
    foot: 'Written by tpu-toolkit/profile. Times are those of one machine, in one run.',
  })
}

function whereSection(profile: RunProfile): Section {
  const groups = profileBy(profile, 'name')
  const most = groups[0]
  return {
    id: 'operations',
    title: 'Operations',
    ...(most ? { finding: `${most.name} takes ${share(most.share)} of the run.` } : {}),
    paragraphs: summaryOf(profile).split('\n'),
    figures: [timeline(profile)],
    html: htmlTable(groupColumns, groups.map(groupRow)),
    details: [{ summary: `All ${readable(profile.operations.length)} in their order`, html: all(profile) }],
  }
}

function timeline({ operations }: RunProfile): Figure {
  const times = new Map<string, number>()
  for (const { kind, microseconds } of operations) times.set(kind, (times.get(kind) ?? 0) + microseconds)
  const lanes = [...times]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 12)
    .map(([kind]) => kind)
  const shown = operations
    .filter(({ kind }) => lanes.includes(kind))
    .sort((a, b) => b.microseconds - a.microseconds)
    .slice(0, drawn)
    .sort((a, b) => a.start - b.start)
  const [unit, label] = Math.max(...operations.map(({ start }) => start), 0) > 5000 ? [1000, 'ms'] : [1, 'µs']
  const boxes = shown.map(({ kind, start, microseconds, name }) => ({
    ...{ lane: kind, start: start / unit, end: (start + microseconds) / unit },
    label: `${name}, ${time(microseconds)}`,
  }))
  const draw = ({ width }: PlotSize): string =>
    timelinePlot(boxes, { title: 'When each of them ran', x: { label }, lanes, width })
  const left = operations.length - shown.length
  const caption = `A lane for each kind; pointing at a box names it.${left > 0 ? ` The ${readable(shown.length)} longest; ${readable(left)} shorter ones are left out.` : ''}`
  return { ...twoWidths(draw, { width: 1000 }), caption, wide: true }
}

function all({ operations }: RunProfile): string {
  const columns = [
    { key: 'operation' },
    { key: 'start', ...shownBy(time) },
    { key: 'time', ...shownBy(time) },
    { key: 'dtype' },
    { key: 'shape' },
    { key: 'FLOPs', ...shownBy(countShown) },
    { key: 'bytes', ...shownBy(bytesShown) },
    { key: 'line' },
  ]
  const rows = operations
    .slice(0, 2000)
    .map(({ name, start, microseconds, dtype, shape, flops, bytes, stacks }) => ({
      ...{ operation: name, start, time: microseconds, dtype, FLOPs: flops, bytes },
      ...{ shape: `[${shape.join(', ')}]`, line: stacks[0]?.[0] ?? '' },
    }))
  return htmlTable(columns, rows)
}

function linesSection(profile: RunProfile): Section {
  const rows = flameTable(profile)
  const named = rows.filter(({ line }) => line.includes(':'))
  const own = [...named].sort((a, b) => b.selfMicroseconds - a.selfMicroseconds)[0]
  return {
    id: 'lines',
    title: 'Source lines',
    ...(own
      ? {
          finding: `${own.line} calls what takes ${share(own.selfMicroseconds / profile.microseconds)} of the run.`,
        }
      : {}),
    paragraphs: [
      'Self is what a line calls itself, total with it what stands above it in the stack. The operations of a gradient stand at the lines whose gradient they are; a step that does several operations counts for each of their lines in equal parts.',
    ],
    html: htmlTable(flameColumns, rows.slice(0, 40).map(flameRow)),
  }
}

function memorySection({ operations, peakBytes }: RunProfile): Section {
  const points = operations.flatMap(({ start, alive }) =>
    alive === undefined ? [] : [{ x: start / 1000, y: alive / 1024 }],
  )
  const figure = lineFigure([{ name: 'values', color: 'blue', points, dots: false }], {
    ...{ title: 'Memory of values', width: 1000, height: 260, wide: true },
    caption: 'What a garbage collector has not found yet is not counted.',
    ...{ x: { label: 'ms' }, y: { label: 'KiB of values that something still reads' } },
  })
  const finding = `At most ${bytesShown(peakBytes ?? 0)} of values are needed at once.`
  return { id: 'memory', title: 'Memory', finding, figures: [figure] }
}

function boundSection({ against, rows, shares, microseconds }: BottleneckReport): Section {
  const columns = [
    { key: 'operation' },
    { key: 'time', ...shownBy(time) },
    { key: 'share', ...shownBy(share) },
    { key: 'bound by' },
    { key: 'compute', ...shownBy(share) },
    { key: 'memory', ...shownBy(share) },
    { key: 'overhead', ...shownBy(share) },
    { key: 'what to do', prose: true },
  ]
  const bounds = Object.entries(shares).filter(([, part]) => part >= 0.005)
  // What takes next to nothing needs no advice.
  const shown = rows.filter((row) => row.share >= 0.005).slice(0, 20)
  const measured = against.kind === 'machine'
  return {
    id: `against-${against.name.replaceAll(/[^A-Za-z0-9]+/g, '-')}`,
    title: measured ? `What bounds it on ${against.name}` : `What would bound it on ${against.name}`,
    finding: `${bounds.map(([bound, part]) => `${share(part)} is bound by ${bound}`).join(', ')}.`,
    paragraphs: [
      measured
        ? 'The measured time beside what FLOPs, bytes and the fixed cost of a call would take alone, as shares of it.'
        : `At least ${time(microseconds)}, from published rates; products are padded to the matrix unit, and bytes are those that move here.`,
    ],
    html: htmlTable(
      columns,
      shown.map((row) => ({
        ...{ operation: row.name, time: row.microseconds, share: row.share, 'bound by': row.boundBy },
        ...{ compute: row.shares.compute, memory: row.shares.memory, overhead: row.shares.overhead },
        'what to do': row.advice,
      })),
    ),
  }
}
