import { findingText } from './doctorText.js'
import type { ModuleExamined } from './moduleCase.js'
import { outputVerdicts } from './verdict.js'

/** Lines of a screen: a report is no longer, the page has the rest. */
const screen = 40
/** Lines that the part of the operations keeps, however long the others are. */
const least = 4
/** The line that says where the page is, and those around it. */
const ends = 3
/** Outputs that are reported one by one. */
const outputs = 5

/** The report on the terminal: a verdict for each output, the step's, what to write instead, where the bits went, what to run wide. */
export function doctorReport(
  title: string,
  examined: ModuleExamined,
  {
    ignore = [],
    width,
  }: { readonly ignore?: readonly string[] | undefined; readonly width?: number | undefined },
): string {
  const { shadow, findings, training, rewriting } = examined
  const verdicts = outputVerdicts(examined)
  const left = verdicts.length - outputs
  const head = [title, ...verdicts.slice(0, outputs), ...(left > 0 ? [`and ${left} more outputs`] : [])]
  const before = [head, linesOf(training), linesOf(rewriting)].filter((part) => part.length > 0)
  const after = findings.map((finding) => findingText(finding, width).split('\n'))
  // The outputs have their sentences already.
  const operations = linesOf(shadow.report({ ignore })).filter(
    (line) => !/^(the output|output \S*):/.test(line),
  )
  const taken = [...before, ...after].reduce((lines, part) => lines + part.length + 1, 0)
  const parts = [...before, cut(operations, Math.max(least, screen - taken - ends)), ...after]
  return parts.map((part) => part.join('\n')).join('\n\n')
}

function linesOf(part: object | string | undefined): string[] {
  return part === undefined ? [] : String(part).split('\n')
}

function cut(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines]
  return [...lines.slice(0, most - 1), `and ${lines.length - most + 1} more lines, which the page has`]
}
