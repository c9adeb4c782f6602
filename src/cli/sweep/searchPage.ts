import type { SweepResult, TrialRow } from '../../experiments/sweep/index.js'
import { htmlPage, htmlTable, type Section } from '../../report/index.js'
import { metricView } from './metricView.js'
import { parameterSections } from './parameterSections.js'
import { rungsSection } from './rungsSection.js'
import { bestText, trialTable, variedParams } from './searchText.js'
import type { SweepRequest } from './sweepRequest.js'

/** The report of a search: the best, who went on, the metric by parameter, every run. */
export function searchPage({ name, sweep }: SweepRequest, result: SweepResult): string {
  const { rows, ranked } = result
  const { search, metric, goal = 'min' } = sweep
  const { columns, body } = trialTable(ranked, sweep)
  const table: Section = { id: 'table', title: 'Every run', html: htmlTable(columns, body) }
  const sections = [...metricSections(result, metric, goal), table]
  const found = bestText(result, sweep)
  return htmlPage({
    title: `Sweep of ${name}`,
    lead:
      metric === undefined
        ? 'What every run came to.'
        : `Which parameters give the ${goal === 'min' ? 'least' : 'greatest'} ${metric}.`,
    facts: {
      search: search?.name ?? 'grid',
      runs: String(rows.length),
      ...(metric === undefined ? {} : { metric: `${metric}, ${goal}` }),
      varied: variedParams(rows).join(', ') || 'nothing',
      ...fixed(rows),
    },
    sections: sections.map((one, i) => (i === 0 && found !== '' ? { ...one, finding: found } : one)),
    foot: `Written by tpu-toolkit sweep.${metric === undefined ? '' : ' A cross is a run whose metric is far off, or not finite.'}`,
  })
}

function metricSections(result: SweepResult, metric: string | undefined, goal: 'min' | 'max'): Section[] {
  if (metric === undefined || result.rows.length === 0) return []
  const view = metricView(result, metric, goal)
  const rungs = result.rungs.length === 0 ? [] : [rungsSection(view, result.rungs)]
  return [...rungs, ...parameterSections(view)]
}

/** What all runs have in common, where that is a line. */
function fixed(rows: readonly TrialRow[]): Record<string, string> {
  const varied = new Set(variedParams(rows))
  const shared = Object.entries(rows[0]?.trial.params ?? {}).filter(([name]) => !varied.has(name))
  if (shared.length === 0 || shared.length > 6) return {}
  return { fixed: shared.map(([name, value]) => `${name} ${value}`).join(', ') }
}
