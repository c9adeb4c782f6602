import { escapeHtml, htmlPage } from '../../report/index.js'
import { liveScript } from './liveScript.js'
import type { SweepRequest } from './sweepRequest.js'

/** The page of a sweep under way: it hears `/events` beside it, and needs nothing else of any network. */
export function livePage({ name, sweep, count }: SweepRequest): string {
  const { search, metric, goal = 'min' } = sweep
  const settings = JSON.stringify({ metric: metric ?? null, goal }).replaceAll('<', '\\u003c')
  const html = `<style>
#bar { width: 100%; height: .6rem; accent-color: var(--accent); }
#chart svg { display: block; width: 100%; font: 12px system-ui, sans-serif; }
#chart text { fill: var(--soft); }
#bar { margin-bottom: 1.2rem; }
#none, #crosses { color: var(--soft); font-size: .88rem; }
</style>
<p class="finding" id="state" role="status">Nothing was heard yet.</p>
<progress id="bar" max="1" value="0" aria-label="Runs that are done"></progress>
<div id="chart"></div>
<p id="crosses" hidden>A cross is a run whose metric is far off, or not finite.</p>
<noscript><p>The course is drawn by a script; <a href="/rows.json">rows.json</a> has the rows.</p></noscript>`
  const table = (id: string): string =>
    `<table><thead id="${id}-head"></thead><tbody id="${id}"></tbody></table>`
  const script = `<script type="application/json" id="settings">${settings}</script>\n<script>\n${liveScript}\n</script>`
  return htmlPage({
    title: `Sweep of ${name}`,
    lead: 'Rows as they arrive. The report is written at the end.',
    facts: {
      search: search?.name ?? 'grid',
      configurations: String(count),
      ...(metric === undefined ? {} : { metric: `${metric}, ${goal}` }),
      varied: Object.keys(sweep.space).join(', ') || 'nothing',
    },
    sections: [
      { id: 'course', title: 'Course', html },
      {
        id: 'under-way',
        title: 'Under way',
        html: `<p id="none">${escapeHtml('No run has reported: an experiment does so by report(step, metrics).')}</p>${table('running')}`,
      },
      { id: 'rows', title: 'Rows, the last first', html: `${table('done')}${script}` },
    ],
    foot: 'Served by tpu-toolkit sweep on this machine while it runs.',
  })
}
