import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Cell, cycles, type Frame, trace } from 'tpu-toolkit/systolic'
import { Choice, NumberField, Slider } from '../../parts/controls.js'
import { DataTable } from '../../parts/dataTable.js'
import { ShowCode } from '../../parts/showCode.js'
import { systolicCode } from './planCode.js'
import { state } from './planState.js'

const [wide, high] = [118, 64]
const fills: Readonly<Record<Cell['does'], string>> = {
  idle: 'none',
  load: 'var(--series-blue)',
  multiply: 'var(--series-green)',
  pass: 'var(--series-grey)',
}

/** A matrix of small whole numbers. */
export function matrixOf(rows: number, columns: number, times: number): number[][] {
  return Array.from({ length: rows }, (_, i) =>
    Array.from({ length: columns }, (_, j) => ((times * i + j + 1) % 7) - 2),
  )
}

/** A small systolic array at work, cycle by cycle. */
export function Systolic() {
  const { dataflow, m, n, k, cycle } = state
  const problem = { dataflow: dataflow.value, rows: state.high.value, columns: state.wide.value }
  const [a, b] = [matrixOf(m.value, k.value, 3), matrixOf(k.value, n.value, 2)]
  const traced = trace({ ...problem, a, b })
  const counted = cycles({ ...problem, m: m.value, n: n.value, k: k.value })
  const last = traced.frames.length - 1
  const at = Math.min(cycle.value, last)
  const frame = traced.frames[at]!
  const playing = useSignal(false)
  useEffect(() => {
    if (!playing.value) return undefined
    const timer = setInterval(() => {
      const here = Math.min(cycle.peek(), last)
      if (here >= last) playing.value = false
      else cycle.value = here + 1
    }, 600)
    return () => clearInterval(timer)
  }, [playing.value, last])
  const play = (): void => {
    if (!playing.value && at === last) cycle.value = 0
    playing.value = !playing.value
  }
  const step = (by: number): void => {
    playing.value = false
    cycle.value = Math.max(0, Math.min(last, at + by))
  }
  const busy = frame.cells.flat().filter(({ does }) => does === 'multiply').length
  const says = `Cycle ${at} of ${last}: ${frame.phase === 'load' ? 'what stays is shifted in' : `${busy} of ${problem.rows * problem.columns} cells multiply`}, piece (${frame.fold.join(', ')}) of ${counted.rowFolds} x ${counted.columnFolds}.`
  return (
    <>
      <div class="controls">
        <Choice
          label="what stays in the cells"
          value={dataflow}
          names={['ws', 'is', 'os']}
          said={{ ws: 'weights (ws)', is: 'inputs (is)', os: 'outputs (os)' }}
        />
        <Size label="rows of cells" value={state.high} />
        <Size label="columns of cells" value={state.wide} />
        <Size label="m: rows of A" value={m} />
        <Size label="k: summed over" value={k} />
        <Size label="n: columns of B" value={n} />
      </div>
      <div class="controls">
        <button type="button" class="main" onClick={play}>
          {playing.value ? 'Pause' : 'Play'}
        </button>
        <button type="button" disabled={at === 0} onClick={() => step(-1)}>
          One cycle back
        </button>
        <button type="button" disabled={at === last} onClick={() => step(1)}>
          One cycle on
        </button>
        <Slider label="cycle" value={cycle} min={0} max={last} said={() => `${at} of ${last}`} />
      </div>
      <p class="said" role="status">
        {says}
      </p>
      <Cells frame={frame} says={says} />
      <DataTable
        name="Cycles of the product"
        head={['cycles', 'of one piece', 'pieces', 'cells with work', 'cycles that multiply', 'product']}
        rows={[
          [
            counted.totalCycles,
            counted.cyclesPerFold,
            counted.rowFolds * counted.columnFolds,
            `${counted.mappingEfficiency.toFixed(1)} %`,
            `${counted.overallUtil.toFixed(1)} %`,
            traced.product.map((row) => row.join(' ')).join('; '),
          ],
        ]}
      />
      <ShowCode code={systolicCode({ ...problem, a, b })} />
    </>
  )
}

function Size({ label, value }: { readonly label: string; readonly value: typeof state.m }) {
  return <NumberField label={label} value={value} min={1} max={8} step={1} />
}

function Cells({ frame, says }: { readonly frame: Frame; readonly says: string }) {
  const [rows, columns] = [frame.cells.length, frame.cells[0]!.length]
  const [width, height] = [columns * wide, rows * high]
  const does = (['load', 'multiply', 'pass', 'idle'] as const).map((name) => (
    <li key={name}>
      <svg viewBox="0 0 28 8" aria-hidden="true">
        <rect x="8" width="12" height="8" fill={fills[name]} fill-opacity="0.5" stroke="var(--edge)" />
      </svg>
      {{ load: 'shifted in', multiply: 'multiplies', pass: 'a sum goes by', idle: 'nothing' }[name]}
    </li>
  ))
  return (
    <figure>
      <ul class="legend">{does}</ul>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <section class="scroll" tabIndex={0} aria-label="The cells of the array">
        <svg
          viewBox={`0 0 ${width} ${height}`}
          width={width}
          height={height}
          role="img"
          aria-label={`The array, ${rows} x ${columns}. ${says}`}
        >
          {frame.cells.map((row, r) =>
            row.map((cell, c) => (
              <g key={`${r} ${c}`} transform={`translate(${c * wide} ${r * high})`}>
                <rect
                  x="2"
                  y="2"
                  width={wide - 4}
                  height={high - 4}
                  rx="5"
                  fill={fills[cell.does]}
                  fill-opacity="0.28"
                  stroke="var(--edge)"
                />
                <text x={wide / 2} y="26" text-anchor="middle" font-size="14" fill="var(--ink)">
                  {[placed('A', cell.a), placed('B', cell.b)].filter((name) => name !== '').join(' · ')}
                </text>
                <text x={wide / 2} y="47" text-anchor="middle" font-size="14" fill="var(--ink)">
                  {cell.sum === null ? '' : `sum ${cell.sum}`}
                </text>
              </g>
            )),
          )}
        </svg>
      </section>
      <figcaption>
        A[i,j] is the element of A in row i and column j that is in the cell in this cycle. Where weights or
        inputs stay, sums go down and leave below; where outputs stay, each cell gathers one.
      </figcaption>
    </figure>
  )
}

const placed = (name: string, at: readonly [number, number] | null): string =>
  at === null ? '' : `${name}[${at.join(',')}]`
