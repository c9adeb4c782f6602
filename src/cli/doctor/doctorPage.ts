import { readable } from '../../base/text/index.js'
import type { Examined, Finding } from '../../experiments/failures/index.js'
import {
  type Column,
  escapeHtml,
  graphPlot,
  htmlPage,
  htmlTable,
  type PlotNode,
  type Section,
} from '../../report/index.js'
import type { DoctorCase } from './doctorCases.js'
import type { ModuleExamined } from './moduleCase.js'
import {
  isLeftOut,
  rewritesSection,
  sourceLine,
  trainingSections,
  trainingVerdict,
} from './moduleSections.js'
import { findingVerdict, outputVerdicts } from './verdict.js'

/** Steps that a drawing may have: a longer one is a ribbon that nobody reads. */
const drawable = 60
/** Rows that stand open. */
const open = 30

type Shadow = Examined['shadow']
type OperationError = ReturnType<Shadow['operations']>[number]

/** The report as a page: the verdict, what has to be wide, the graph coloured by lost bits, every operation and event. */
export function doctorPage({
  id,
  title,
  ignore = [],
  shadow,
  findings,
  training,
  rewriting,
}: ModuleExamined & Pick<DoctorCase, 'id' | 'title' | 'ignore'>): string {
  const { steps } = shadow.program
  const verdicts = [...(training ? [trainingVerdict(training)] : []), ...outputVerdicts({ shadow })]
  return htmlPage({
    title: `The precision doctor: ${id}`,
    lead: title === id ? 'A module of its own' : title[0]!.toUpperCase() + title.slice(1),
    facts: { operations: readable(steps.length), reference: String(shadow.reference) },
    sections: [
      {
        id: 'verdict',
        title: 'Verdict',
        finding: verdicts[0] ?? '',
        paragraphs: [...verdicts.slice(1), ...findings.map(findingVerdict)],
      },
      ...(training ? trainingSections(training) : []),
      ...(rewriting ? [rewritesSection(rewriting)] : []),
      ...findings.map(findingSection),
      graphSection(shadow),
      operationsSection(shadow, ignore),
      eventsSection(shadow, ignore),
      {
        id: 'report',
        title: 'The report in full',
        details: [
          { summary: 'As it is printed', html: `<pre>${escapeHtml(shadow.report({ ignore }))}</pre>` },
        ],
      },
    ],
    foot: 'Written by tpu-toolkit doctor. Every number is computed by the run that wrote this page.',
  })
}

function findingSection(finding: Finding, index: number): Section {
  const { question, tuning } = finding
  const { tried, policies, without, cost, narrowest, widest, policy } = tuning
  const tables = [
    without.length === 0
      ? ''
      : htmlTable(
          [
            { key: 'name', header: `in ${policy.dtype}` },
            { key: 'value', header: 'the measure without it', digits: 4 },
          ],
          without,
        ),
    policies.length === 0
      ? ''
      : `<h3>What usual policies would do</h3>${htmlTable(
          [
            { key: 'name', header: 'policy' },
            { key: 'met' },
            { key: 'value', header: 'the measure', digits: 4 },
            { key: 'wide operations', of: ({ cost }) => cost.count },
            { key: 'more bytes moved', of: ({ cost }) => cost.bytes },
          ],
          policies,
        )}`,
  ]
  return {
    id: `policy-${index + 1}`,
    title: 'What to run wide',
    finding: `Wanted: ${question}.`,
    paragraphs: [
      `The measure is ${readable(narrowest, 4)} with nothing wide and ${readable(widest, 4)} with everything. The choice costs ${readable(cost.count)} operations in ${policy.dtype}, ${readable(cost.casts)} changes of dtype and ${readable(cost.bytes)} bytes moved more.`,
    ],
    html: tables.join('\n'),
    details: [
      {
        summary: `${tried.length} trials`,
        html: htmlTable(
          [
            { key: 'stage' },
            { key: 'wide', prose: true, of: ({ wide }) => wide.join(', ') },
            { key: 'value', digits: 4 },
            { key: 'met' },
          ],
          tried,
        ),
      },
    ],
  }
}

function graphSection(shadow: Shadow): Section {
  const { steps, inputs } = shadow.program
  const section = { id: 'graph', title: 'The computation' }
  if (steps.length > drawable) {
    return {
      ...section,
      paragraphs: [`${readable(steps.length)} operations are too many to draw: up to ${drawable} are.`],
    }
  }
  const errors = new Map(shadow.operations().map((error) => [error.step, error]))
  const worst = Math.max(1e-9, ...[...errors.values()].map(({ total }) => total.max))
  const nodes: PlotNode[] = [
    ...inputs.map(({ dtype, shape }, i) => ({
      id: `input ${i}`,
      lines: [inputs.length === 1 ? 'input' : `input ${i}`, `${dtype} [${shape.join(', ')}]`],
    })),
    ...steps.map(({ op, output: { dtype, shape } }, i) => {
      const error = errors.get(i)
      const bits = error ? [`${readable(error.total.max)} bits off`] : []
      return {
        id: `step ${i}`,
        lines: [`${i} ${op.name}`, `${dtype} [${shape.join(', ')}]`, ...bits],
        shade: error ? Math.max(0, error.total.max) / worst : 0,
        ...(error && { title: `${readable(error.introduced.max)} bits by its own rounding` }),
      }
    }),
  ]
  const edges = steps.flatMap(({ operands }, i) =>
    operands.flatMap((operand) => {
      if (typeof operand !== 'number') return []
      const from = operand < inputs.length ? `input ${operand}` : `step ${operand - inputs.length}`
      return [{ from, to: `step ${i}` }]
    }),
  )
  return {
    ...section,
    figures: [
      {
        svg: graphPlot(nodes, edges, { title: 'Operations by how far their worst element is off' }),
        caption:
          'A box for each operation below what it reads, the redder the more bits its worst element is off. Constants are left out.',
        natural: true,
      },
    ],
  }
}

function operationsSection(shadow: Shadow, ignore: readonly string[]): Section {
  const gains = new Map(shadow.contributions().map((one) => [one.step, one]))
  const operations = shadow.operations().filter(({ site }) => !isLeftOut(site, ignore))
  const gainOf = ({ step }: OperationError) => gains.get(step)?.gain ?? gains.get(step)?.firstOrder
  const sorted = [...operations].sort((a, b) => (gainOf(b) ?? -1) - (gainOf(a) ?? -1))
  const columns: Column<OperationError>[] = [
    { key: 'operation', of: ({ step, op }) => `${step} ${op}` },
    sourceLine,
    { key: 'result', of: ({ dtype, shape }) => `${dtype} [${shape.join(', ')}]` },
    { key: 'worst, bits off', of: ({ total }) => total.max },
    { key: 'mean', of: ({ total }) => total.mean },
    { key: 'its own rounding', of: ({ introduced }) => introduced.max },
    { key: 'came in', of: ({ inherited }) => inherited.max },
    { key: 'the output would gain', of: gainOf },
  ]
  return folded(
    {
      id: 'operations',
      title: 'Where the bits went',
      paragraphs: [
        'In bits of the worst element; the last column is what the output would gain in the mean if this operation alone did not round, the best cure first.',
      ],
    },
    columns,
    sorted,
  )
}

function eventsSection(shadow: Shadow, ignore: readonly string[]): Section {
  const { steps } = shadow.program
  const events = shadow.events.filter(({ step }) => !isLeftOut(steps[step]!.site, ignore))
  const first = ({ element, operands, result }: (typeof events)[number]): string => {
    const read = operands.slice(0, 3).map((x) => readable(x, 6))
    return `element ${element}: ${read.join(', ')} gave ${readable(result, 6)}`
  }
  const columns: Column<(typeof events)[number]>[] = [
    { key: 'operation', of: ({ step }) => `${step} ${steps[step]!.op.name}` },
    { key: 'source line', of: ({ step }) => steps[step]!.site ?? '' },
    { key: 'what', of: ({ kind, bits }) => (bits === undefined ? kind : `${kind}, ${bits} bits`) },
    { key: 'count', header: 'times' },
    { key: 'the first', prose: true, of: first },
  ]
  const section = { id: 'events', title: 'What happened' }
  if (events.length > 0) return folded(section, columns, events)
  const lines = ignore.length > 0 ? 'No findings on the reported lines.' : nothing
  return { ...section, paragraphs: [lines] }
}

const nothing = 'No overflow, cancellation or absorption.'

/** A table, behind a line that opens it where it is long. */
function folded<R extends object>(
  section: Section,
  columns: readonly Column<R>[],
  rows: readonly R[],
): Section {
  if (rows.length <= open) return { ...section, html: htmlTable(columns, rows) }
  return {
    ...section,
    html: htmlTable(columns, rows.slice(0, 12)),
    details: [{ summary: `All ${readable(rows.length)} rows`, html: htmlTable(columns, rows) }],
  }
}
