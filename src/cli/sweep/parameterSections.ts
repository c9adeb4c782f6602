import type { ParamValue, TrialRow } from '../../experiments/sweep/index.js'
import {
  type Figure,
  heatMap,
  htmlTable,
  type PlotSeries,
  type Row,
  type Section,
  type SeriesColor,
  scatterFigure,
} from '../../report/index.js'
import { axisOf, type MetricView } from './metricView.js'

/** A parameter with more values than this has a plot of its own, one with so many at most rows of a table. */
const [several, few] = [4, 20]

/** What the metric has to do with the parameters: each alone, two together, value by value. */
export function parameterSections(view: MetricView): Section[] {
  const many = view.varied.filter((name) => {
    const values = valuesOf(view, name)
    return values.length > several && values.every((value) => typeof value === 'number')
  })
  return [...alone(view, many), ...plane(view, many), ...cells(view), ...byValue(view)]
}

/** The values of a parameter, numbers in order. */
function valuesOf({ rows }: MetricView, name: string): ParamValue[] {
  const values = [...new Set(rows.map(({ trial }) => trial.params[name] ?? null))]
  return values.every((value) => typeof value === 'number') ? values.sort((a, b) => a - b) : values
}

const numberOf = ({ trial }: TrialRow, name: string): number => Number(trial.params[name])

function alone({ configurations, metric, point, axis }: MetricView, names: readonly string[]): Section[] {
  if (names.length === 0) return []
  const figures = names.map((name): Figure => {
    const points = configurations.map((one) => point(numberOf(one, name), one))
    const places = points.map(({ x }) => x)
    return scatterFigure([{ name: 'a run', points, color: 'blue' }], {
      title: `${metric} against ${name}`,
      caption: 'A point for each configuration, as far as it was run.',
      ...{ x: axisOf(name, places), y: axis },
    })
  })
  return [{ id: 'parameters', title: `${metric} by parameter`, figures }]
}

/** Where the good ones lie. */
function plane({ configurations, metric, point }: MetricView, [across, down]: readonly string[]): Section[] {
  if (across === undefined || down === undefined) return []
  const quarter = Math.ceil(configurations.length / 4)
  const part = (name: string, from: number, to: number, color: SeriesColor): PlotSeries => ({
    name,
    color,
    points: configurations
      .slice(from, to)
      .map((one) => ({ ...point(numberOf(one, across), one), y: numberOf(one, down) })),
  })
  const last = Math.max(quarter, configurations.length - quarter)
  const [x, y] = [across, down].map((name) => {
    const values = configurations.map((one) => numberOf(one, name))
    return axisOf(name, values)
  })
  const parts = [
    part('best quarter', 0, quarter, 'green'),
    part('middle half', quarter, last, 'orange'),
    part('worst quarter', last, configurations.length, 'grey'),
  ]
  const caption = `Where the best ${metric} lies among all.`
  const figure = scatterFigure(parts, { title: `${across} and ${down}`, caption, x: x!, y: y! })
  return [{ id: 'plane', title: 'Two parameters together', figures: [figure] }]
}

/** The best of every pair of values, where two parameters have few of them and every pair was tried. */
function cells(view: MetricView): Section[] {
  const { rows, varied, metric, goal, sorted } = view
  const counted = varied
    .map((name) => ({ name, values: valuesOf(view, name) }))
    .filter(({ values }) => values.length <= few)
    .sort((a, b) => b.values.length - a.values.length)
  const [across, down] = counted
  if (across === undefined || down === undefined) return []
  const found = down.values.flatMap((y) =>
    across.values.map((x) => {
      const here = rows.filter(
        ({ trial }) => trial.params[across.name] === x && trial.params[down.name] === y,
      )
      return { x: String(x), y: String(y), runs: here.length, value: sorted(here)[0] ?? null }
    }),
  )
  if (found.some(({ runs }) => runs === 0)) return []
  const svg = heatMap(
    found.map(({ x, y, value }) => ({ x, y, value })),
    {
      title: `Best ${metric} by ${across.name} and ${down.name}`,
      x: { label: across.name },
      y: { label: down.name },
      hot: goal === 'min' ? 'low' : 'high',
    },
  )
  const caption = 'The best of the runs in a cell, the stronger the better. An open frame: none was finite.'
  return [
    { id: 'cells', title: `${across.name} and ${down.name}`, figures: [{ svg, caption, natural: true }] },
  ]
}

function byValue(view: MetricView): Section[] {
  const { rows, varied, metric, sorted } = view
  const body = varied.flatMap((name): Row[] => {
    const values = valuesOf(view, name)
    if (values.length > few) return []
    return values.map((value) => {
      const here = rows.filter(({ trial }) => trial.params[name] === value)
      const finite = sorted(here)
      return {
        name,
        value: String(value),
        runs: here.length,
        best: finite[0] ?? null,
        median: finite[Math.floor(finite.length / 2)] ?? null,
      }
    })
  })
  if (body.length === 0) return []
  const columns = [
    { key: 'name', header: 'parameter' },
    { key: 'value' },
    { key: 'runs', digits: 8 },
    { key: 'best', header: `best ${metric}`, digits: 6 },
    { key: 'median', header: `median ${metric}`, digits: 6 },
  ]
  return [{ id: 'values', title: 'By value', html: htmlTable(columns, body) }]
}
