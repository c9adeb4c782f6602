import { type Figure, htmlPage, htmlTable, lineFigure, type Section } from '../../report/index.js'
import type { RlRequest } from './rlRequest.js'
import type { RlRow } from './rlRun.js'
import type { RlBeside } from './rlTask.js'
import { rlFinding, saysNothingOfProfit, statisticsOf, tableOf } from './rlText.js'

/** The report of a run: the table beside the baselines, the spread over seeds, the curves of training. */
export function rlPage(
  request: RlRequest,
  rows: readonly RlRow[],
  beside: readonly RlBeside[],
  facts: Readonly<Record<string, string>>,
): string {
  const { columns, body } = tableOf(rows, beside)
  const spread = [
    { key: 'figure' },
    ...['mean', 'std', 'least', 'greatest'].map((key) => ({ key, digits: 4 })),
  ]
  const curve = (
    title: string,
    label: string,
    caption: string,
    of: (point: RlRow['curve'][number]) => number | null,
  ): Figure | undefined => {
    const series = rows.map((row) => ({
      name: `seed ${row.seed}`,
      points: row.curve.flatMap((point) => {
        const y = of(point)
        return y === null ? [] : [{ x: point[0], y }]
      }),
      dots: row.curve.length < 20,
    }))
    // A line of two points says nothing that the table does not.
    if (series.every(({ points }) => points.length < 3)) return undefined
    return lineFigure(series, { title, caption, x: { label: 'environment steps' }, y: { label } })
  }
  const statistics = statisticsOf(rows).map((each) => ({
    ...each,
    std: Number.isFinite(each.std) ? each.std : null,
  }))
  return htmlPage({
    title: 'PPO, to the bit',
    lead: saysNothingOfProfit,
    facts: {
      ...facts,
      precision: request.precision,
      steps: String(request.steps),
      seeds: String(request.seeds),
    },
    sections: [
      {
        ...{
          id: 'table',
          title: 'Every seed, and what it is held against',
          finding: rlFinding(rows, beside),
        },
        html: htmlTable(columns, body),
      },
      { id: 'spread', title: 'Over the seeds', html: htmlTable(spread, statistics) },
      ...trainingSection([
        curve('Mean return of 100 episodes', 'mean return', 'Of training.', (point) => point[1]),
        curve(
          'Ratios that are exactly 1',
          'share',
          'The share of ratios new / old that are exactly 1, in the minibatches of an update.',
          (point) => point[2],
        ),
      ]),
    ],
    foot: `Written by tpu-toolkit rl. ${saysNothingOfProfit}`,
  })
}

/** The curves that have points enough to be drawn; no section without them. */
function trainingSection(curves: readonly (Figure | undefined)[]): Section[] {
  const figures = curves.filter((curve) => curve !== undefined)
  return figures.length > 0 ? [{ id: 'curves', title: 'Training', figures }] : []
}
