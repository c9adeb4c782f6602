import { Arrow, Axes, type Field, Line, Words } from '../../parts/mechanismParts.js'
import type { Opening } from '../../parts/opening.js'

const field: Field = { left: 210, right: 350, top: 18, bottom: 118, x: [0, 6], y: [0, 1] }
const rows = [0.92, 0.7, 0.45, 0.3, 0.22, 0.12, 0.1]

/** Rows of a report, and one column against another. */
function draw() {
  return (
    <>
      {rows.slice(0, 5).map((value, i) => (
        <g key={value}>
          <rect x="10" y={16 + 22 * i} width="150" height="20" fill="var(--panel)" stroke="var(--rule)" />
          <Words x={40} y={31 + 22 * i}>
            {i}
          </Words>
          <Words x={115} y={31 + 22 * i}>
            {value}
          </Words>
        </g>
      ))}
      <Words x={85} y={144}>
        rows of a report
      </Words>
      <Arrow from={[168, 70]} to={[200, 70]} />
      <Axes field={field} />
      <Line field={field} x={rows.map((_, i) => i)} y={rows} color="blue" />
      <Words x={280} y={144}>
        column by column
      </Words>
    </>
  )
}

export const resultsOpening: Opening = {
  question: 'What does this report say, and which of its rows matter?',
  draw,
  says: 'The rows of a report as a table, and one of its columns drawn against another.',
  formula: 'tpu-toolkit drift --json report.json',
  symbols: [
    ['report', 'what a command writes with --json: facts, tables and figures, recognised by what they hold'],
    ['rows.jsonl', 'the rows of a sweep, one run a line'],
    ['samples, spans', 'what a monitored run wrote: numbers by step, and times by operation'],
  ],
  experiments: [
    {
      name: 'A report of drift',
      watch: 'Press a head to sort by it: the largest errors of the sums come first.',
      values: { sample: 'drift' },
    },
    {
      name: 'Only bfloat16',
      watch: 'The search keeps the rows with the word; what is drawn is what is kept.',
      values: { sample: 'drift', words: 'bfloat16' },
    },
    {
      name: 'A report of nan',
      watch: 'The facts name the operation that overflowed; the records of the last steps are its table.',
      values: { sample: 'nan' },
    },
  ],
  prediction: {
    asks: 'In the sample of a run to NaN, how many steps before its end does the loss announce it?',
    answers: ['about a hundred', 'ten', 'none'],
    right: 2,
    because:
      'The loss is finite and ordinary in the last step before. What announces it is dt, one rounding below half an ulp of the sum.',
    values: { sample: 'nan' },
  },
  guide: 'The command',
}
