import { useSignal, useSignalEffect } from '@preact/signals'
import { Chart } from '../../parts/chart.js'
import { Check } from '../../parts/controls.js'
import { DataTable } from '../../parts/dataTable.js'
import { ScrollTable } from '../../parts/scrollTable.js'
import type { LineRow, OperationRow, OperationValues } from './jaxMessages.js'
import type { JaxRun } from './jaxRun.js'

/** Elements that the table of values shows. */
const listed = 24

/** The program by its lines; a line opens its operations, an operation its values. */
export function LinesTable({ lines, run }: { readonly lines: readonly LineRow[]; readonly run: JaxRun }) {
  const chosen = useSignal<string | undefined>(undefined)
  const operation = useSignal<number | undefined>(undefined)
  useSignalEffect(() => {
    if (operation.value !== undefined) run.look(operation.value)
  })
  const shares = new Map(run.shares.value?.lines.map((row) => [row.line, row]))
  const line = lines.find((one) => one.line === chosen.value)
  const all = useSignal(false)
  const rounding = line?.operations.filter(({ moves }) => !moves) ?? []
  const listing = all.value || rounding.length === 0 ? line?.operations : rounding
  const shown = line?.operations.find(({ step }) => step === operation.value)
  const values = run.values.value?.step === operation.value ? run.values.value : undefined
  return (
    <section aria-labelledby="lines">
      <h2 id="lines">The program, line by line</h2>
      <p>
        Choose a line for its operations, and an operation for its values. Own rounding: bits that an
        operation of the line adds by itself, at the worst element. Share: of the worst output's error, to
        first order. Gain: bits which that output gains if the line does not round.
      </p>
      <ScrollTable
        name="The program by lines"
        columns={[
          ...['line', 'source'].map((head) => ({ head, number: false })),
          ...['operations', 'own rounding, bits', 'share, %', 'gain, bits'].map((head) => ({
            head,
            number: true,
          })),
        ]}
        rows={lines.map((row, id) => ({
          id,
          marked: row.line === chosen.value,
          cells: [
            <button
              key="line"
              type="button"
              class="sort"
              aria-pressed={row.line === chosen.value}
              onClick={() => {
                chosen.value = row.line === chosen.value ? undefined : row.line
                operation.value = undefined
              }}
            >
              {row.line || 'no line'}
            </button>,
            <code key="source">{row.source}</code>,
            row.operations.length,
            bits(row.introduced),
            percent(shares.get(row.line)?.share),
            bits(shares.get(row.line)?.gain),
          ],
        }))}
      />
      {line && (
        <>
          <h3>The operations of {line.line || 'no line'}</h3>
          {rounding.length > 0 && rounding.length < line.operations.length && (
            <Check
              label={`also the ${line.operations.length - rounding.length} that only move elements`}
              value={all}
            />
          )}
          <ScrollTable
            name={`Operations of ${line.line}`}
            columns={['operation', 'result', 'place', 'own rounding, bits', 'off altogether, bits'].map(
              (head, i) => ({
                head,
                number: i > 2,
              }),
            )}
            tall={true}
            rows={listing!.map((row) => ({
              id: row.step,
              marked: row.step === operation.value,
              cells: [
                <button
                  key="op"
                  type="button"
                  class="sort"
                  aria-pressed={row.step === operation.value}
                  onClick={() => {
                    operation.value = row.step
                  }}
                >
                  {row.step} {row.op}
                </button>,
                `${row.dtype} [${row.shape.join(', ')}]`,
                row.site,
                bits(row.introduced),
                bits(row.total),
              ],
            }))}
          />
        </>
      )}
      {shown && values && <Values row={shown} values={values} />}
    </section>
  )
}

/** The elements of one operation's result, beside what they would be without rounding. */
function Values({ row, values }: { readonly row: OperationRow; readonly values: OperationValues }) {
  const { computed, reference, introduced, size } = values
  const x = Array.from(computed, (_, i) => i)
  const seen = Math.min(size, listed)
  return (
    <>
      <h3>
        The values of {row.step} {row.op}, {row.dtype} [{row.shape.join(', ')}]
      </h3>
      {computed.length > 1 && (
        <Chart
          {...{ xTitle: 'element', yTitle: 'value', height: 200 }}
          series={[
            { name: 'computed', color: 'red', x, y: computed },
            { name: 'not rounded', color: 'blue', dashed: true, x, y: reference },
          ]}
          says={`The first ${computed.length} of ${size} elements of ${row.op}, computed and without rounding.`}
        >
          {computed.length < size
            ? `The first ${computed.length} of ${size} elements.`
            : `All ${size} elements.`}{' '}
          What is not finite is a gap.
        </Chart>
      )}
      <DataTable
        name="Elements"
        head={['element', 'computed', 'not rounded', 'its own rounding added']}
        rows={x
          .slice(0, seen)
          .map((i) => [String(i), value(computed[i]!), value(reference[i]!), value(introduced[i]!)])}
      />
      {seen < size && (
        <p>
          The first {seen} of {size.toLocaleString('en')} elements.
        </p>
      )}
    </>
  )
}

function bits(x: number | undefined): string {
  if (x === undefined) return '—'
  return (Math.abs(x) < 0.005 ? 0 : x).toFixed(2)
}

function percent(share: number | undefined): string {
  if (share === undefined) return '—'
  const rounded = Math.round(100 * share)
  return String(rounded === 0 ? 0 : rounded)
}

function value(x: number): string {
  if (Number.isNaN(x)) return 'NaN'
  return Number.isFinite(x) ? String(Number(x.toPrecision(9))) : x > 0 ? 'Inf' : '-Inf'
}
