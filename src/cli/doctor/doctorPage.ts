import type { Examined, Finding } from '../../failures/index.js'
import { shadowGraph } from '../../precision/index.js'
import { escapeHtml, htmlPage, htmlTable, type Section } from '../../report/index.js'
import type { DoctorCase } from './doctorCases.js'
import { findingText } from './doctorText.js'

/** Steps that a drawing may have: a longer one is a ribbon that nobody reads. */
const drawable = 200

/** The report as a page: the graph coloured by lost bits, what the searches found, the report in full. */
export function doctorPage({
  id,
  title,
  shadow,
  findings,
}: Examined & Pick<DoctorCase, 'id' | 'title'>): string {
  const size = shadow.program.steps.length
  return htmlPage({
    title: `The precision doctor: ${id}`,
    lead: title,
    facts: { operations: String(size), reference: shadow.reference },
    sections: [...findings.map(findingSection), graphSection(), reportSection()],
    foot: 'Written by tpu-toolkit doctor. Every number is computed by the run that wrote this page.',
  })

  function graphSection(): Section {
    if (size > drawable)
      return {
        id: 'graph',
        title: 'The computation',
        paragraphs: [`${size} operations are too many to draw: up to ${drawable} are.`],
      }
    const caption =
      'A box for each operation below what it reads, from white to red by the bits that its result has lost.'
    return { id: 'graph', title: 'The computation', figures: [{ svg: shadowGraph(shadow), caption }] }
  }

  function reportSection(): Section {
    return { id: 'report', title: 'Where the bits went', html: pre(String(shadow)) }
  }
}

function findingSection(finding: Finding, index: number): Section {
  const { question, tuning } = finding
  const rows = tuning.tried.map(({ stage, wide, value, met }) => ({
    stage,
    wide: wide.join(', '),
    value,
    met,
  }))
  const columns = [
    { key: 'stage' },
    { key: 'wide', prose: true },
    { key: 'value', digits: 4 },
    { key: 'met' },
  ]
  return {
    id: `policy-${index + 1}`,
    title: `What to run wide: ${question}`,
    html: pre(findingText(finding)),
    details: [{ summary: `${rows.length} trials`, html: htmlTable(columns, rows) }],
  }
}

function pre(text: string): string {
  return `<pre>${escapeHtml(text)}</pre>`
}
