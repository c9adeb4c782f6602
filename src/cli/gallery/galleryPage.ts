import type { Readings } from '../../experiments/failures/index.js'
import {
  escapeHtml,
  htmlPage,
  htmlTable,
  lineFigure,
  type Section,
  scatterFigure,
} from '../../report/index.js'
import type { Exhibit } from './exhibit.js'
import { words } from './galleryTable.js'

/** The report: a summary, and one section per failure. */
export function galleryPage(exhibits: readonly Exhibit[]): string {
  const holding = exhibits.filter(({ run }) => run.verdict.holds).length
  return htmlPage({
    title: 'A gallery of low-precision failures',
    lead: 'Failures that people met, each in the smallest run that shows it: the naive way beside the stable way, and what happens to the verdict when the defect is taken out.',
    facts: { failures: String(exhibits.length), 'verdicts that hold': `${holding} of ${exhibits.length}` },
    sections: [summary(exhibits), ...exhibits.map(section)],
    foot: 'Written by tpu-toolkit gallery. Every number is computed by the run that wrote this page.',
  })
}

function summary(exhibits: readonly Exhibit[]): Section {
  const rows = exhibits.map(({ failure, run }) => ({
    failure: failure.title,
    link: `#${failure.id}`,
    holds: run.verdict.holds,
    verdict: run.verdict.text,
  }))
  const columns = [
    { key: 'failure', prose: true, link: 'link' },
    { key: 'holds' },
    { key: 'verdict', prose: true },
  ]
  return { id: 'summary', title: 'Summary', html: htmlTable(columns, rows) }
}

function section({ failure, run, repaired }: Exhibit): Section {
  const repairs = repaired.map(({ change, run: { verdict } }) => ({
    repair: change,
    fails: verdict.holds,
    verdict: verdict.text,
  }))
  const columns = [
    { key: 'repair', prose: true },
    { key: 'fails', header: 'still fails' },
    { key: 'verdict', prose: true },
  ]
  const source = escapeHtml(failure.source)
  const reported = `<p>Reported: <a href="${source}">${source}</a>. ${escapeHtml(failure.reported)}</p>`
  const { kind, series, ...options } = run.figure
  const figure = kind === 'line' ? lineFigure : scatterFigure
  return {
    id: failure.id,
    title: failure.title,
    finding: run.verdict.text,
    paragraphs: [failure.story],
    figures: [figure(series, { ...options, width: 760, height: 340 })],
    html: `${reported}\n${htmlTable(columns, repairs)}`,
    details: [{ summary: 'The numbers', html: readingsTable(run.naive, run.stable) }],
  }
}

/** The readings that are numbers, both ways side by side. */
function readingsTable(naive: Readings, stable: Readings): string {
  const names = [...new Set([...Object.keys(naive), ...Object.keys(stable)])]
  const number = (value: Readings[string] | undefined) => (typeof value === 'number' ? value : null)
  const rows = names
    .filter((name) => !Array.isArray(naive[name]) && !Array.isArray(stable[name]))
    .map((name) => ({ reading: words(name), naive: number(naive[name]), stable: number(stable[name]) }))
  return htmlTable([{ key: 'reading' }, { key: 'naive', digits: 6 }, { key: 'stable', digits: 6 }], rows)
}
