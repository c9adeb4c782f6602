import { readable, wrapped } from '../../base/text/index.js'
import { type Row, textTable } from '../../report/index.js'
import type { Diagnosis, Problem } from '../../training/profile/index.js'

/** The columns of problems. */
export const problemColumns: readonly { key: string; header?: string; prose?: boolean; align?: 'right' }[] = [
  { key: 'problem' },
  { key: 'severity' },
  { key: 'step', header: 'since step', align: 'right' },
  { key: 'evidence', header: 'what was seen', prose: true },
  { key: 'remedy', header: 'what to do', prose: true },
]

/** A row of them. */
export function problemRow({ problem, severity, step, evidence, remedy }: Problem): Row {
  return { problem, severity, step: step === undefined ? '' : readable(step), evidence, remedy }
}

/** What it comes to, in a sentence. */
export function verdictOf({ problems }: Diagnosis): string {
  if (problems.length === 0) return 'Nothing is wrong with what this run recorded.'
  const critical = problems.filter(({ severity }) => severity === 'critical').map(({ problem }) => problem)
  const count = `${readable(problems.length)} ${problems.length === 1 ? 'problem' : 'problems'}`
  if (critical.length === 0) return `${count}, none critical.`
  return `${count}, ${readable(critical.length)} critical: ${[...new Set(critical)].join(', ')}.`
}

/** What was looked at, and what could not be. */
export function lookedText({ looked, notRecorded, steps, from, to }: Diagnosis): readonly string[] {
  return [
    steps === 0
      ? 'No steps were recorded.'
      : `${readable(steps)} samples, steps ${readable(from)} to ${readable(to)}.`,
    ...(looked.length > 0 ? [`Looked at: ${looked.join(', ')}.`] : []),
    ...(notRecorded.length > 0 ? [`Not recorded, so nothing is known of: ${notRecorded.join(', ')}.`] : []),
  ]
}

/** A diagnosis as text for a terminal. */
export function diagnoseText(diagnosis: Diagnosis, width?: number): string {
  const { problems } = diagnosis
  const fitted = width === undefined ? {} : { width }
  const lines = lookedText(diagnosis).map((line) => wrapped(line, width ?? 100))
  return [
    verdictOf(diagnosis),
    ...(problems.length > 0 ? [textTable(problemColumns, problems.map(problemRow), fitted)] : []),
    lines.join('\n'),
  ].join('\n\n')
}
