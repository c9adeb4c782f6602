import type { Step2750Run, SweepRow } from '../../experiments/step2750/index.js'
import { type Figure, heatMap, htmlPage, htmlTable, lineFigure, type Section } from '../../report/index.js'
import { calibrated, tableRows, varied, written } from './sweepTable.js'

/** The report of a sweep: the heat map, the NaN step against the learning rate, the table. */
export function sweepPage(rows: readonly SweepRow[]): string {
  const bad = rows.filter((row) => row.firstNonFiniteStep !== null)
  const { columns, body } = tableRows(rows)
  const table: Section = { id: 'table', title: 'Every run', html: htmlTable(columns, body) }
  return htmlPage({
    title: 'Sweep of the step-2750 experiment',
    lead: 'Where the state-space layer becomes NaN, and where it does not, over a grid of options.',
    facts: {
      runs: String(rows.length),
      'become NaN': String(bad.length),
      varied: varied(rows).join(', ') || 'nothing',
    },
    sections: [...map(rows), ...againstRate(rows), table],
    foot: `Written by tpu-toolkit sweep. ${calibrated}`,
  })
}

function count(rows: readonly SweepRow[], name: keyof Step2750Run): number {
  return new Set(rows.map((row) => row.options[name])).size
}

/** The two options with the most values, across and down. */
function map(rows: readonly SweepRow[]): Section[] {
  const [across, down] = varied(rows).sort((a, b) => count(rows, b) - count(rows, a))
  if (across === undefined) return []
  const place = (row: SweepRow) => ({
    x: written(row.options[across]),
    y: down === undefined ? 'first NaN step' : written(row.options[down]),
  })
  const groups = grouped(rows, place)
  const cells = groups.map(({ x, y, members }) => {
    const steps = members.flatMap(({ firstNonFiniteStep }) => firstNonFiniteStep ?? [])
    const value = steps.length === 0 ? null : Math.min(...steps)
    return { x, y, value, text: value === null ? 'finite' : String(value) }
  })
  const several = groups.some(({ members }) => members.length > 1)
  const figure: Figure = {
    svg: heatMap(cells, {
      title: `First NaN step by ${across}${down ? ` and ${down}` : ''}`,
      x: { label: across },
      y: { label: down ?? '' },
      hot: 'low',
    }),
    caption: `The step of the first loss or gradient that is not finite${several ? ', the earliest of the runs in a cell' : ''}. An open frame: none was.`,
    natural: true,
  }
  return [{ id: 'map', title: 'Where it becomes NaN', figures: [figure] }]
}

/** NaN step against learning rate: one line for each combination of the other options. */
function againstRate(rows: readonly SweepRow[]): Section[] {
  const bad = rows.filter((row) => row.firstNonFiniteStep !== null)
  if (count(bad, 'lr') < 2) return []
  const others = varied(rows).filter((name) => name !== 'lr')
  const nameOf = (row: SweepRow) =>
    others.map((name) => written(row.options[name])).join(', ') || 'first NaN step'
  const series = grouped(bad, (row) => ({ x: nameOf(row), y: '' })).map(({ x, members }) => ({
    name: x,
    points: members
      .map((row) => ({ x: row.options.lr, y: row.firstNonFiniteStep! }))
      .sort((a, b) => a.x - b.x),
  }))
  const products = bad.map((row) => row.options.lr * row.firstNonFiniteStep!)
  const [least, most] = [Math.min(...products), Math.max(...products)]
  const figure = lineFigure(series, {
    title: 'First NaN step against the learning rate',
    caption: 'Both axes are logarithmic: a line of slope -1 means that lr x step is constant.',
    x: { label: 'learning rate', scale: 'log10' },
    y: { label: 'first NaN step', scale: 'log10' },
  })
  const finding =
    least === most
      ? `lr x step is ${least.toPrecision(4)} in every run that becomes NaN.`
      : `lr x step lies between ${least.toPrecision(4)} and ${most.toPrecision(4)} in the ${bad.length} runs that become NaN.`
  return [{ id: 'rate', title: 'NaN step and learning rate', finding, figures: [figure] }]
}

interface Group {
  readonly x: string
  readonly y: string
  readonly members: SweepRow[]
}

function grouped(rows: readonly SweepRow[], place: (row: SweepRow) => { x: string; y: string }): Group[] {
  const groups = new Map<string, Group>()
  for (const row of rows) {
    const { x, y } = place(row)
    const group = groups.get(`${x}\n${y}`) ?? { x, y, members: [] }
    group.members.push(row)
    groups.set(`${x}\n${y}`, group)
  }
  return [...groups.values()]
}
