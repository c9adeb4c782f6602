import { readable } from '../../base/text/index.js'
import { format, formatNames } from '../../numbers/formats/index.js'
import {
  type Column,
  type Figure,
  htmlPage,
  htmlTable,
  lineFigure,
  type PlotPoint,
  type PlotSeries,
  rangePlot,
  type Section,
  type SeriesColor,
  scatterFigure,
  twoWidths,
} from '../../report/index.js'
import { type QuantizationWay, quantizationWays } from '../../tensors/blocks/index.js'
import { findingsTable } from '../drift/benchmarkPage.js'
import { decibelsPerBit, label } from './finding.js'
import type { FormatsResults, SetResults } from './formatsResults.js'
import {
  codebookColumns,
  codebooksReading,
  decibels,
  modelSentence,
  reading,
  sizes,
  tableColumns,
  tableRows,
  waysReading,
} from './formatsText.js'
import type { Measurement } from './measure.js'

const families: readonly (readonly [QuantizationWay['family'], SeriesColor])[] = [
  ['cast', 'grey'],
  ['scaled cast', 'blue'],
  ['MX', 'orange'],
  ['NVFP4', 'red'],
  ['GGUF', 'green'],
  ['bitsandbytes', 'purple'],
]
const familyOf = new Map(quantizationWays.map((way) => [label(way), way.family]))

/** The report: a summary, one section per data set. */
export function formatsPage(results: FormatsResults): string {
  return htmlPage({
    title: 'Formats and block schemes',
    lead: 'What each low-precision format and block scheme makes of numbers: how much noise it adds, what it clips, what it turns to zero.',
    facts: {
      data: results.sets.map(({ name }) => name).join(', '),
      ...(results.file === undefined ? {} : { file: results.file }),
      seed: String(results.seed),
      measurements: readable(results.sets.reduce((sum, s) => sum + s.rows.length + s.perTensor.length, 0)),
    },
    sections: [summary(results), ...results.sets.map((set) => section(set, results))],
    foot: 'Written by tpu-toolkit formats --measure. The same numbers in full: formats.json and formats.csv beside this page.',
  })
}

function summary(results: FormatsResults): Section {
  const list = results.sets.map(({ name, title, finding }) => ({ id: name, title, finding }))
  const { skipped } = results
  return {
    id: 'summary',
    title: 'Summary',
    finding: results.finding,
    paragraphs: [reading, waysReading, ...(results.model ? [modelSentence(results.model)] : [])],
    figures: [best(results.sets)],
    html: findingsTable('data', list),
    details: [
      { summary: 'SQNR in dB of every way on all data', html: matrix(results.sets) },
      ...openedTable(
        'Tensors that were not measured (#)',
        [{ key: 'name', header: 'tensor' }, { key: 'why' }],
        skipped,
      ),
    ],
  }
}

/** A table behind a line with the count of its rows for the #; nothing where it has no rows. */
function openedTable(
  summary: string,
  columns: readonly Column[],
  rows: readonly object[],
): { readonly summary: string; readonly html: string }[] {
  if (rows.length === 0) return []
  return [{ summary: summary.replace('#', String(rows.length)), html: htmlTable(columns, rows) }]
}

function best(sets: readonly SetResults[]): Figure {
  const series = sets.map(({ name, rows }): PlotSeries => {
    const points = [4, 6, 8].flatMap((width): PlotPoint[] => {
      const top = bestOf(rows.filter((row) => row.elementBits === width))
      return top ? [{ x: top.bits, y: top.sqnr!, title: `${label(top)}: ${readable(top.sqnr)} dB` }] : []
    })
    return { name, points }
  })
  return lineFigure([...series, perBit(series)], {
    title: 'Best SQNR by bits a value, for all data',
    caption:
      'The best of all ways with elements of 4, 6 and 8 bits, by the bits that it takes with its scales. The dashed line is 6.02 dB a bit, which no code of normal numbers can pass.',
    x: { label: 'bits a value' },
    y: { label: 'best SQNR, dB' },
  })
}

/** The line of 6.02 dB a bit, as far as it stays inside the data. */
function perBit(series: readonly PlotSeries[]): PlotSeries {
  const points = series.flatMap((s) => s.points)
  const [low, high] = [Math.min(...points.map((p) => p.x)), Math.max(...points.map((p) => p.x))]
  const top = Math.max(...points.map((p) => p.y))
  const ends = [low, Math.min(high, top / decibelsPerBit)].filter((x) => Number.isFinite(x))
  return {
    name: '6.02 dB a bit',
    color: 'grey',
    dashed: true,
    points: ends[0] === ends[1] ? [] : ends.map((x) => ({ x, y: decibelsPerBit * x })),
  }
}

function bestOf(rows: readonly Measurement[]): Measurement | undefined {
  const finite = rows.filter((row) => row.sqnr !== null && Number.isFinite(row.sqnr))
  return finite.length === 0 ? undefined : finite.reduce((a, b) => (b.sqnr! > a.sqnr! ? b : a))
}

function matrix(sets: readonly SetResults[]): string {
  const names = [...new Set(sets.flatMap(({ rows }) => rows.map(label)))]
  const order = quantizationWays.map(label).filter((name) => names.includes(name))
  const rows = order.map((way) => {
    const cells = sets.map(({ name, rows }) => [name, rows.find((row) => label(row) === way)?.sqnr])
    return { way, ...Object.fromEntries(cells) }
  })
  return htmlTable(
    [{ key: 'way' }, ...sets.map(({ name }) => ({ key: name, align: 'right' as const, show: decibels }))],
    rows,
  )
}

function section(set: SetResults, { model }: FormatsResults): Section {
  const rows = tableRows(set.rows, model?.after)
  const shown = rows.map(({ tensor: _, ...row }) => row)
  const each = tableRows(set.perTensor, undefined)
  return {
    id: set.name,
    title: set.title,
    finding: set.finding,
    paragraphs: [`Data: ${set.about}${sizes(set)}.`, ...(set.codebooks.length > 0 ? [codebooksReading] : [])],
    figures: [sqnrFigure(set), rangeFigure(set), ...(model ? lossFigure(set, model.after) : [])],
    details: [
      { summary: `Table (${rows.length} rows)`, html: htmlTable(tableColumns(shown), shown) },
      ...openedTable('Codebooks (# rows)', codebookColumns, set.codebooks),
      ...openedTable('Table of each tensor (# rows)', tableColumns(each), each),
    ],
  }
}

/** Points of the rows by family; the most SQNR with elements of 8, 6 and 4 bits has its name beside it. */
function byFamily(
  rows: readonly Measurement[],
  place: (row: Measurement) => readonly [x: number, y: number],
): PlotSeries[] {
  const best = new Set([8, 6, 4].map((width) => bestOf(rows.filter((row) => row.elementBits === width))))
  const series = families.map(([family, color]): PlotSeries => {
    const own = rows.filter((row) => familyOf.get(label(row)) === family)
    const points = own.map((row): PlotPoint => {
      const [x, y] = place(row)
      const title = `${label(row)}: ${readable(x)}, ${readable(y)}`
      return { x, y, title, ...(best.has(row) ? { label: label(row) } : {}) }
    })
    return { name: family, color, points }
  })
  return series.filter(({ points }) => points.length > 0)
}

/** Formats of 16 bits are far off to the right and above: they are left to the table. */
const plotted = ({ elementBits }: Measurement): boolean => elementBits < 16

function sqnrFigure(set: SetResults): Figure {
  const narrow = set.rows.filter(plotted)
  const rows = narrow.filter((row) => row.sqnr !== null && Number.isFinite(row.sqnr))
  const series = byFamily(rows, (row) => [row.bits, row.sqnr!])
  const left = narrow.length - rows.length
  const missing =
    left > 0 ? ` Of ${left} ways some results are Inf or NaN, or all are exact: these are not there.` : ''
  return scatterFigure([...series, perBit(series)], {
    title: `${set.title}: SQNR by bits a value`,
    caption: `Signal to noise by bits, up to 9; named is the best with elements of 4, 6 and 8 bits.${missing}`,
    x: { label: 'bits a value, with its part of the scales' },
    y: { label: 'SQNR, dB' },
  })
}

/** By how much the loss grows, in percent, against SQNR. */
function lossFigure(set: SetResults, loss: number): Figure[] {
  const rows = set.rows.filter((row) => row.loss !== null && Number.isFinite(row.sqnr))
  if (rows.length === 0) return []
  const what = set.name === 'weights' ? 'the kernels' : 'the kernels and what layers read'
  const grows = (row: Measurement): number => 100 * (row.loss! / loss - 1)
  const series = byFamily(rows, (row) => [row.sqnr!, grows(row)])
  const figure = scatterFigure(series, {
    title: `${set.title}: growth of the held-out loss by SQNR`,
    caption: `By how much the model's held-out loss grows with ${what} quantised; a ring at the foot is a loss that did not grow.`,
    x: { label: `SQNR of ${set.name}, dB` },
    y: { label: 'growth of the held-out loss, %', scale: 'log10' },
  })
  return [figure]
}

function rangeFigure(set: SetResults): Figure {
  const all = set.histogram.map(({ x }) => x)
  // Room for the ranges of the 8-bit formats beside the data; the tails of some data are long and empty.
  const shown = set.histogram.filter(({ y }) => y > 0.1).map(({ x }) => x)
  const domain = [Math.min(-18, ...shown), Math.max(17, ...shown.map((x) => x + 1))] as const
  const ranges = formatNames.map((name) => {
    const { minPositive, minNormal, max } = format(name)
    return { name, from: Math.log2(minPositive), solidFrom: Math.log2(minNormal), to: Math.log2(max) }
  })
  const drawn = twoWidths(
    (size) =>
      rangePlot(set.histogram, ranges, {
        title: `${set.title}: magnitudes, and the ranges of the formats`,
        x: { label: 'log2 of the magnitude', domain },
        y: { label: `${set.name}: percent of the values` },
        ...size,
      }),
    { height: 150 },
  )
  const from = `2^${Math.min(...all)} to 2^${Math.max(...all) + 1}`
  return {
    ...drawn,
    caption: `The values by magnitude, from ${from}, and what each format holds: subnormal numbers faint, normal ones full. A scale moves the data along the axis.`,
  }
}
