import type { TrialRow } from '../../experiments/sweep/index.js'
import { htmlTable, type PlotSeries, type Row, type Section, scatterFigure } from '../../report/index.js'
import type { MetricView } from './metricView.js'

/** The rungs of successive halving: how far each run went, and who went on. */
export function rungsSection(
  { rows, metric, point, sorted, axis }: MetricView,
  rungs: readonly number[],
): Section {
  const ran = new Set(rows.map(({ trial }) => keyAt(trial.params, trial.steps)))
  const wentOn = ({ trial }: TrialRow): boolean => {
    const next = rungs[rungs.indexOf(trial.steps ?? 0) + 1]
    return next !== undefined && ran.has(keyAt(trial.params, next))
  }
  const part = (name: string, some: readonly TrialRow[], color: 'green' | 'grey'): PlotSeries => ({
    name,
    points: some.map((one) => point(one.trial.steps ?? 0, one)),
    color,
  })
  const body = rungs.map((steps): Row => {
    const here = rows.filter(({ trial }) => trial.steps === steps)
    const finite = sorted(here)
    return {
      steps,
      finished: here.length,
      went: here.filter(wentOn).length,
      best: finite[0] ?? null,
      median: finite[Math.floor(finite.length / 2)] ?? null,
    }
  })
  const columns = [
    { key: 'steps', header: 'to step', digits: 12 },
    { key: 'finished', digits: 8 },
    { key: 'went', header: 'went on', digits: 8 },
    { key: 'best', header: `best ${metric}`, digits: 6 },
    { key: 'median', header: `median ${metric}`, digits: 6 },
  ]
  const ended = rows.filter((one) => !wentOn(one))
  const figure = scatterFigure(
    [part('went on', rows.filter(wentOn), 'green'), part('ended here', ended, 'grey')],
    {
      title: `${metric} of every rung`,
      caption: 'Every run at the step to which it was run: the better ones went on.',
      ...{ x: { label: 'step', scale: 'log10' }, y: axis },
    },
  )
  return { id: 'rungs', title: 'Who went on', figures: [figure], html: htmlTable(columns, body) }
}

function keyAt(params: TrialRow['trial']['params'], steps: number | undefined): string {
  return JSON.stringify([params, steps ?? null])
}
