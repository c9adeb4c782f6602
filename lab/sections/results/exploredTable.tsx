import { type Signal, useSignal } from '@preact/signals'
import { Chart } from '../../parts/chart.js'
import { Check } from '../../parts/controls.js'
import { ShowCode } from '../../parts/showCode.js'
import { type SortCell, SortTable } from '../../parts/sortTable.js'
import { columnsOf, linesOf, rowsWith } from './linesOf.js'
import { linesCode } from './resultsCode.js'
import type { ViewCell, ViewTable } from './resultsMessages.js'
import { state } from './resultsState.js'

const mostRows = 200

/** One table of a report: looked through by words, sorted by its columns, one column drawn over another. */
export function ExploredTable({ table, file }: { readonly table: ViewTable; readonly file: string }) {
  const { numbers, groups } = columnsOf(table)
  const { plot } = table
  const numeric = table.head.map((name) => numbers.includes(name))
  const words = state.words.value === '' ? (table.words ?? '') : state.words.value.trim()
  const chosen = rowsWith(table, words)
  const x = numbers.includes(state.x.value) ? state.x.value : (plot?.x ?? '')
  const y = numbers.includes(state.y.value) ? state.y.value : (plot?.y ?? '')
  const by = groups.includes(state.by.value) ? state.by.value : (plot?.by ?? '')
  const logX = useSignal(plot?.logX ?? false)
  const logY = useSignal(plot?.logY ?? false)
  const drawn = numbers.includes(x) && numbers.includes(y)
  const lines = drawn ? linesOf(table, chosen, { x, y, by }) : []
  return (
    <>
      <div class="controls">
        <label class="field">
          rows with all of these words
          <input
            type="search"
            value={words}
            onInput={({ currentTarget }) => {
              // A blank stands for none at all, where the table has words of its own.
              state.words.value = currentTarget.value === '' ? ' ' : currentTarget.value
            }}
          />
        </label>
        {numbers.length > 1 && (
          <>
            <Column label="across" value={state.x} shown={x} names={numbers} />
            <Column label="up" value={state.y} shown={y} names={numbers} />
            <Column label="a line for each" value={state.by} shown={by} names={groups} />
            <Check label="logarithmic across" value={logX} />
            <Check label="logarithmic up" value={logY} />
          </>
        )}
      </div>
      {lines.length > 0 && (
        <>
          <Chart
            xTitle={x}
            yTitle={y}
            logX={logX.value}
            logY={logY.value}
            height={280}
            series={lines.slice(0, 12)}
            says={`${y} over ${x}, ${lines.length} line${lines.length === 1 ? '' : 's'}: ${lines
              .slice(0, 12)
              .map(({ name }) => name)
              .join(', ')}.`}
          >
            {lines.length > 12
              ? `The first 12 of ${lines.length} lines: fewer rows, fewer lines.`
              : `${y} over ${x} of the ${chosen.length} rows below.`}
          </Chart>
          <ShowCode code={linesCode(file, table.title, { x, y }, lines.slice(0, 12))} />
        </>
      )}
      <p role="status">
        {chosen.length} of {table.rows.length} rows
        {chosen.length > mostRows ? `, the first ${mostRows} shown` : ''}.
      </p>
      <SortTable
        name={table.title}
        head={table.head}
        rows={chosen
          .slice(0, mostRows)
          .map((i) => table.rows[i]!.map((cell, column) => shown(cell, numeric[column]!)))}
      />
    </>
  )
}

function Column(props: {
  readonly label: string
  readonly value: Signal<string>
  readonly shown: string
  readonly names: readonly string[]
}) {
  const { label, value, shown: at, names } = props
  return (
    <label class="field">
      {label}
      <select
        value={at}
        onChange={({ currentTarget }) => {
          value.value = currentTarget.value
        }}
      >
        {!names.includes(at) && <option value={at}>—</option>}
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

/** A cell: numbers in six digits, long texts cut. What is missing among numbers is sorted behind them. */
function shown(cell: ViewCell, numeric: boolean): SortCell {
  if (cell === null) return numeric ? { said: '', value: Number.NaN } : ''
  if (typeof cell === 'number') return { said: String(Number(cell.toPrecision(6))), value: cell }
  return cell.length > 60 ? { said: `${cell.slice(0, 57)}…`, value: cell } : cell
}
