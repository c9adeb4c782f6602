import { useSignal } from '@preact/signals'
import { Slider } from '../../parts/controls.js'
import { DataTable } from '../../parts/dataTable.js'
import type { NanRun } from './nanRun.js'

/** The last ten steps of a run one by one, and why it ended. */
export function LastSteps({ naive, beside }: { readonly naive: NanRun; readonly beside: NanRun }) {
  const which = useSignal<'naive' | 'beside'>('naive')
  const back = useSignal(0)
  const end = (which.value === 'naive' ? naive : beside).end.value
  const records = end?.records.slice(-11) ?? []
  const shown = Math.max(0, records.length - 1 - back.value)
  const record = records[shown]
  const before = records[shown - 1]
  return (
    <section aria-labelledby="last-steps">
      <h2 id="last-steps">The last ten steps, and why it ended</h2>
      <div class="controls">
        {(['naive', 'beside'] as const).map((run) => (
          <button
            key={run}
            type="button"
            aria-pressed={which.value === run}
            onClick={() => {
              which.value = run
            }}
          >
            {run === 'naive' ? 'The naive run' : 'The run beside it'}
          </button>
        ))}
        {record && (
          <Slider
            label="steps before the end"
            value={back}
            min={0}
            max={records.length - 1}
            said={(n) => (n === 0 ? 'none, the last' : String(n))}
          />
        )}
      </div>
      {end === undefined || record === undefined ? (
        <p>They are here as soon as the run has ended.</p>
      ) : (
        <>
          <p>{stepSentence(record.step, record.loss, before?.csEnd ?? null, record.csEnd, record.span)}</p>
          <DataTable
            name="The last steps"
            head={['step', 'loss', '|A|', 'dt', 'cs_end', 'exponent', 'loss bits']}
            rows={records.map(({ step, loss, A, dt, csEnd, span, lossBits }) => [
              String(step),
              number(loss, 5),
              number(A === null ? null : Math.abs(A), 6),
              number(dt, 6),
              number(csEnd, 6),
              number(span, 6),
              <code key="bits">{lossBits}</code>,
            ])}
            marked={(row) => row === shown}
          />
          <pre class="text">
            <Marked text={end.text} word={end.event?.op} />
          </pre>
        </>
      )}
    </section>
  )
}

function number(value: number | null, digits: number): string {
  return value === null ? 'NaN' : String(Number(value.toPrecision(digits)))
}

function stepSentence(
  step: number,
  loss: number | null,
  before: number | null,
  csEnd: number | null,
  span: number | null,
): string {
  const sum =
    before === null || csEnd === null || before === csEnd
      ? `cs_end is ${number(csEnd, 6)}`
      : `cs_end went from ${number(before, 6)} to ${number(csEnd, 6)}`
  const power =
    span === null
      ? 'there is no exponent'
      : `the exponent is ${number(span, 5)}, its exponential ${exponential(span)}`
  return `Step ${step}: ${sum}, ${power}, and the loss is ${number(loss, 4)}.`
}

/** e^x as the dtypes with float32's range have it. */
function exponential(x: number): string {
  const value = Math.exp(x)
  return Math.fround(value) === Infinity ? 'Inf' : value.toExponential(2)
}

/** The explanation with the operation that failed marked. */
function Marked({ text, word }: { readonly text: string; readonly word: string | undefined }) {
  if (word === undefined) return <>{text}</>
  const parts = text.split(new RegExp(`\\b(${word})\\b`))
  return <>{parts.map((part, i) => (part === word ? <mark key={i}>{part}</mark> : part))}</>
}
