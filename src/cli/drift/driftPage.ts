import { readable } from '../../base/text/index.js'
import type { DriftResults, FigureChoice, Measurement, OpResults } from '../../experiments/drift/index.js'
import {
  type Figure,
  htmlPage,
  htmlTable,
  lineFigure,
  type PlotSeries,
  type Section,
  type SeriesColor,
  scatterFigure,
} from '../../report/index.js'
import { boundsFinding, findingsTable, inputsSection, lengthTables } from './benchmarkPage.js'
import { tableColumns, tableRows } from './driftText.js'

const measures = {
  maxAbs: 'largest absolute error',
  maxRel: 'largest relative error',
  maxUlps: 'largest error in ulps',
  stallShare: 'share of updates under half an ulp',
} as const
const thirdColors: readonly SeriesColor[] = ['green', 'orange', 'purple', 'teal', 'pink', 'grey']

// Below this share of its bound an error says nothing of the bound.
const idle = 1e-6

const reading =
  'Errors are distances from the exact result on the same rounded inputs; an ulp is one step of the format, from the exact result rounded to it. In the plots a ring at the foot is an exact result (in ulps: a correctly rounded one), a cross at the top one that is not finite, a dashed line an a-priori bound, a dotted one the place where a running result stops changing.'

/** The report: a summary, one section per operation, the inputs. */
export function driftPage(results: DriftResults): string {
  const rows = results.ops.flatMap((op) => op.rows)
  const sections = [
    summary(results, rows),
    ...results.ops.map((op) => section(op, results.dtype)),
    inputsSection(
      `Every input is rounded to ${results.dtype} once; errors are counted from the exact result on these rounded numbers, so that they are the operation's alone.`,
      results.inputs,
    ),
  ]
  return htmlPage({
    title: `Drift in ${results.dtype}`,
    lead: `How far ${results.dtype} results are from the exact ones as sequences grow, computed the naive way and the stable way, on real and on made inputs.`,
    facts: {
      dtype: results.dtype,
      seed: String(results.seed),
      measurements: readable(rows.length),
      reference: 'float64, sums in two words',
    },
    sections,
    foot: 'Written by tpu-toolkit drift. The same numbers in full: drift.json and drift.csv beside this page.',
  })
}

function summary(results: DriftResults, rows: readonly Measurement[]): Section {
  const bounded = rows.filter((row) => row.ofBound !== null && row.bound! > 0)
  const finding = boundsFinding(bounded, () => {
    const worst = bounded.reduce((a, b) => (a.ofBound! >= b.ofBound! ? a : b))
    return `; the closest comes to ${readable(100 * worst.ofBound!)} % of it (${label(worst)})`
  })
  const series: PlotSeries[] = results.ops.map(({ operation }) => ({
    name: operation.name,
    points: bounded
      .filter((row) => row.op === operation.name && row.ofBound! > idle)
      .map((row) => ({ x: row.bound!, y: row.maxAbs, title: label(row) })),
  }))
  const drawn = series.filter(({ points }) => points.length > 0)
  const against = scatterFigure(drawn, {
    title: 'Measured error against its a-priori bound',
    caption:
      'Every measurement that theory bounds, but those below a millionth of their bound; the dashed line is error = bound.',
    x: { label: 'a-priori bound', scale: 'log10' },
    y: { label: 'largest absolute error', scale: 'log10' },
    diagonal: true,
  })
  const list = results.ops.map(({ operation: { name, title }, finding }) => ({ id: name, title, finding }))
  return {
    id: 'summary',
    title: 'Summary',
    finding,
    paragraphs: [reading],
    figures: [against, growth(results)],
    html: findingsTable('operation', list),
  }
}

function growth(results: DriftResults): Figure {
  const sequences = results.ops.filter(({ operation }) => !operation.training)
  const drawn = sequences.length > 0 ? sequences : results.ops
  const naive = drawn.map(({ operation, rows }): PlotSeries => {
    return { name: operation.name, points: worstByLength(rows.filter((row) => row.role === 'naive')) }
  })
  const stable = drawn.flatMap(({ rows }) => rows.filter((row) => row.role === 'stable'))
  const all: PlotSeries = { name: 'stable, all', points: worstByLength(stable), color: 'grey', dashed: true }
  return lineFigure([...naive, all], {
    title: 'Worst error in ulps by length, naive, and of all stable ways',
    caption:
      'The worst of all inputs and cases: each operation on sequences the naive way, and all their stable ways together (dashed). A result of the wrong sign is very many ulps away.',
    x: { label: 'length', scale: 'log2' },
    y: { label: 'largest error in ulps over all inputs', scale: 'log10' },
  })
}

function worstByLength(rows: readonly Measurement[]): { x: number; y: number }[] {
  const lengths = [...new Set(rows.map((row) => row.length))].sort((a, b) => a - b)
  return lengths.map((x) => ({
    x,
    y: rows.filter((row) => row.length === x).reduce((worst, row) => Math.max(worst, row.maxUlps), 0),
  }))
}

function label(row: Measurement): string {
  return [row.op, row.way, row.variant, row.input, `length ${readable(row.length)}`]
    .filter((part) => part !== '')
    .join(', ')
}

function section(op: OpResults, dtype: string): Section {
  const { operation } = op
  const at = `${operation.lengthName} ${readable(op.lengths.at(-1))}`
  const several = op.lengths.length > 1
  return {
    id: operation.name,
    title: operation.title,
    finding: op.finding,
    paragraphs: [operation.about],
    figures: several ? operation.figures(op.rows).map((choice) => figure(op, choice, dtype)) : [],
    details: [
      ...lengthTables(at, tableColumns, (everyLength) => tableRows(op, everyLength), several),
      ...theory(op),
    ],
  }
}

/** The bounds as formulas, for the last trial. */
function theory({ theories }: OpResults): { summary: string; html: string }[] {
  if (theories.size === 0) return []
  const rows = [...theories].map(([way, { formula, source }]) => ({ way, formula, source }))
  const columns = [{ key: 'way' }, { key: 'formula', prose: true }, { key: 'source', prose: true }]
  const summary = 'A-priori bounds: S is the sum of absolute values, u the unit roundoff'
  return [{ summary, html: htmlTable(columns, rows) }]
}

function figure(op: OpResults, choice: FigureChoice, dtype: string): Figure {
  const rows = op.rows.filter((row) => row.input === choice.input && row.variant === choice.variant)
  const ways = [...new Set(rows.map((row) => row.way))]
  const others = ways.filter((way) => rows.find((row) => row.way === way)?.role === 'other')
  const colorOf = (row: Measurement): SeriesColor =>
    row.role === 'naive'
      ? 'red'
      : row.role === 'stable'
        ? 'blue'
        : thirdColors[others.indexOf(row.way) % thirdColors.length]!
  const series = ways.map((way): PlotSeries => {
    const own = rows.filter((row) => row.way === way)
    return {
      name: way,
      color: colorOf(own[0]!),
      points: own.map((row) => ({ x: row.length, y: row[choice.measure] ?? Number.NaN })),
    }
  })
  const bounds = choice.measure === 'maxAbs' ? ways.flatMap((way) => boundSeries(rows, way, colorOf)) : []
  const stalled = rows.filter(
    (row) => row.length === op.lengths.at(-1) && row.role === 'naive' && row.stallIndex !== null,
  )
  const title = [choice.input, choice.variant].filter((part) => part !== '').join(', ')
  return lineFigure([...series, ...bounds], {
    title: `${op.operation.title}, ${title}: ${measures[choice.measure]} by length, ${dtype}`,
    caption: choice.caption,
    x: { label: op.operation.lengthName, scale: 'log2' },
    y: {
      label: `${title}: ${measures[choice.measure]}`,
      ...(choice.measure === 'stallShare' ? { domain: [0, 1] as const } : { scale: 'log10' as const }),
    },
    markers: stalled.map((row) => ({
      x: row.stallIndex!,
      label: `${row.way} stalls at ${readable(row.stallIndex)}`,
      color: colorOf(row),
    })),
  })
}

function boundSeries(
  rows: readonly Measurement[],
  way: string,
  colorOf: (row: Measurement) => SeriesColor,
): PlotSeries[] {
  const own = rows.filter((row) => row.way === way && row.role !== 'other' && row.bound !== null)
  if (own.length === 0) return []
  const points = own.map((row) => ({ x: row.length, y: row.bound! }))
  return [{ name: `bound of ${way}`, color: colorOf(own[0]!), points, dashed: true }]
}
