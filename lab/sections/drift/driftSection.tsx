import { useMemo } from 'preact/hooks'
import { answered } from '../../parts/answered.js'
import { Chart } from '../../parts/chart.js'
import { Choice, Slider } from '../../parts/controls.js'
import { DataTable } from '../../parts/dataTable.js'
import type { ChartMark } from '../../parts/drawChart.js'
import { Failed } from '../../parts/failed.js'
import { ShowCode } from '../../parts/showCode.js'
import { numberFrom, oneOf, sectionState, text } from '../../shell/urlState.js'
import { driftCode } from './driftCode.js'
import { type DriftAnswer, type DriftAsked, type DriftOrder, driftDTypes } from './driftMessages.js'
import { readSeries, saidOf, seriesNames, seriesOf } from './series.js'

const orders: readonly DriftOrder[] = [
  'sequential',
  'pairwise',
  'kahan',
  'neumaier',
  'associative',
  'blocked-16',
]

const state = sectionState('drift', {
  series: oneOf(seriesNames, 'ones'),
  power: numberFrom(4, 12, 10),
  dtype: oneOf(driftDTypes, 'bfloat16'),
  order: oneOf(orders, 'sequential'),
  accumulate: oneOf(['same', ...driftDTypes] as const, 'same'),
  own: text('0.1 0.2 0.3 0.4', 60_000),
})
const { answer, failure, useQuestion } = answered<DriftAsked, DriftAnswer>('drift', () => undefined)
let id = 0

/** Running sums of a series, in any dtype, order and accumulator, against the exact ones. */
export function DriftSection() {
  useQuestion(() => {
    const asked = question()
    return asked.values.length > 0 ? asked : undefined
  })
  const own = state.series.value === 'own'
  const { values: typed, wrong } = own ? readSeries(state.own.value) : { values: [], wrong: undefined }
  const shown = answer.value
  // The same element until there is another answer: a question alone draws no chart anew, which would hold its answer up.
  const drawn = useMemo(() => shown && <Shown shown={shown} />, [shown])
  return (
    <>
      <div class="controls">
        <Choice label="series" value={state.series} names={seriesNames} said={saidOf} />
        {!own && (
          <Slider
            label="length"
            value={state.power}
            min={4}
            max={12}
            step={0.05}
            said={(power) => Math.round(2 ** power).toLocaleString('en')}
          />
        )}
        <Choice label="dtype" value={state.dtype} names={driftDTypes} />
        <Choice
          label="order"
          value={state.order}
          names={orders}
          said={{ 'blocked-16': "rows of 16 (XLA's CPU)" }}
        />
        <Choice
          label="accumulator"
          value={state.accumulate}
          names={['same', ...driftDTypes]}
          said={{ same: 'the same dtype' }}
        />
      </div>
      {own && <OwnSeries count={typed.length} wrong={wrong} />}
      {failure.value !== '' && <Failed what="This cannot be summed" why={failure.value} />}
      {drawn}
      <ShowCode
        code={driftCode({
          ...question(),
          series: state.series.value,
          same: state.accumulate.value === 'same',
        })}
      />
    </>
  )
}

function question(): DriftAsked {
  const { series, power, dtype, order, accumulate, own } = state
  const typed = series.value === 'own' ? readSeries(own.value).values.slice(0, 65_536) : []
  return {
    id: ++id,
    values: seriesOf(
      series.value,
      series.value === 'own' ? typed.length : Math.round(2 ** power.value),
      typed,
    ),
    dtype: dtype.value,
    order: order.value,
    accumulate: accumulate.value === 'same' ? dtype.value : accumulate.value,
  }
}

function OwnSeries({ count, wrong }: { readonly count: number; readonly wrong: string | undefined }) {
  return (
    <>
      <label class="field wide">
        your numbers, typed or pasted, or a file of them
        <textarea
          spellcheck={false}
          value={state.own.value}
          onInput={({ currentTarget }) => {
            state.own.value = currentTarget.value
          }}
        />
      </label>
      <div class="controls">
        <label class="field">
          a text file
          <input
            type="file"
            accept=".txt,.csv,text/*"
            onChange={async ({ currentTarget }) => {
              const file = currentTarget.files?.[0]
              if (file) state.own.value = (await file.slice(0, 2_000_000).text()).slice(0, 2_000_000)
            }}
          />
        </label>
        <span role="status">
          {count.toLocaleString('en')} numbers
          {wrong === undefined ? '.' : `; "${wrong.slice(0, 30)}" is none and was left out.`}
        </span>
      </div>
    </>
  )
}

function Shown({ shown }: { readonly shown: DriftAnswer }) {
  const { sums, exact, stable, error, stableError, stallIndex, maxAbs, maxUlps, stableMaxAbs, bound } = shown
  const places = Array.from({ length: sums.length }, (_, i) => i + 1)
  const marks: ChartMark[] =
    stallIndex === null
      ? []
      : [{ x: stallIndex, word: `stands still after ${stallIndex.toLocaleString('en')}` }]
  const last = sums.at(-1) ?? Number.NaN
  const sentence = `The sum ends at ${short(last)}, the exact one at ${short(exact.at(-1) ?? Number.NaN)}${
    stallIndex === null ? '' : `; after ${stallIndex.toLocaleString('en')} values it no longer changes`
  }.`
  return (
    <>
      <p class="said" role="status">
        {sentence}
      </p>
      <Chart
        xTitle="values added"
        yTitle="running sum"
        height={260}
        says={`The running sums. ${sentence}`}
        marks={marks}
        series={[
          { name: 'exact', color: 'grey', x: places, y: exact },
          { name: 'as chosen', color: 'red', x: places, y: sums },
          { name: 'stable: float32 inside', color: 'blue', dashed: true, x: places, y: stable },
        ]}
      >
        Where the next value is less than half an ulp of the sum, adding it changes nothing.
      </Chart>
      <Chart
        xTitle="values added"
        yTitle="|error|"
        logY
        height={200}
        says={`The absolute errors. The largest is ${short(maxAbs)}, of the stable way ${short(stableMaxAbs)}.`}
        marks={
          bound && Number.isFinite(bound.bound) && bound.bound > 0
            ? [{ y: bound.bound, word: `bound ${short(bound.bound)}` }]
            : []
        }
        series={[
          { name: 'as chosen', color: 'red', x: places, y: error },
          { name: 'stable', color: 'blue', dashed: true, x: places, y: stableError },
        ]}
      >
        The errors on a logarithmic axis, with the a-priori bound of the largest; an error of 0 is a gap.
      </Chart>
      <DataTable
        name="Measured and bounded"
        head={[
          'largest error',
          'in steps of the dtype',
          'of the stable way',
          'the bound',
          'measured / bound',
          'formula of the bound',
        ]}
        rows={[
          [
            short(maxAbs),
            short(maxUlps),
            short(stableMaxAbs),
            bound === null ? '—' : short(bound.bound),
            bound === null || bound.bound === 0 ? '—' : (maxAbs / bound.bound).toFixed(3),
            bound?.formula ?? 'none',
          ],
        ]}
      />
    </>
  )
}

function short(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(6))) : Number.isNaN(value) ? 'NaN' : 'Inf'
}
