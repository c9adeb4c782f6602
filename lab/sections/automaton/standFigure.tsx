import { answered } from '../../parts/answered.js'
import { shortNumber } from '../../parts/axisTicks.js'
import { Chart } from '../../parts/chart.js'
import { Slider } from '../../parts/controls.js'
import { DataTable } from '../../parts/dataTable.js'
import type { SeriesColor } from '../../parts/drawChart.js'
import { Failed } from '../../parts/failed.js'
import { ShowCode } from '../../parts/showCode.js'
import type { AutomatonAsked, StandAnswer, StandAsked } from './automatonMessages.js'
import { state } from './automatonState.js'
import { standCode } from './standCode.js'

const colors: readonly SeriesColor[] = ['red', 'orange', 'blue']

const { answer, failure, useQuestion } = answered<AutomatonAsked, StandAnswer>('automaton')

/** Automata whose updates are small stand still in a state of few bits; what cures them. */
export function StandFigure() {
  useQuestion(question)
  const shown = answer.value
  return (
    <section aria-labelledby="stand-still">
      <h2 id="stand-still">A state that stands still, and what cures it</h2>
      <p>
        The flower learned to take large steps. An automaton that takes small ones, here of random weights,
        stands still in a state of few bits. All of these compute with bfloat16: only the state differs.
      </p>
      <div class="controls">
        <Slider
          label="deviation of the last weights"
          value={state.power}
          min={-4}
          max={-1.5}
          step={0.25}
          said={(power) => String(deviationOf(power))}
        />
        <Slider label="steps" value={state.steps} min={16} max={128} step={8} />
      </div>
      {failure.value !== '' && <Failed what="It does not run" why={failure.value} />}
      {shown ? <Shown shown={shown} /> : <p class="said">Running in four states …</p>}
      <ShowCode code={standCode(question())} />
    </section>
  )
}

const deviationOf = (power: number): number => Number((10 ** power).toPrecision(2))

function question(): StandAsked {
  return { kind: 'stand', deviation: deviationOf(state.power.value), steps: state.steps.value }
}

function Shown({ shown: { asked, ways, lost } }: { readonly shown: StandAnswer }) {
  const steps = Array.from({ length: asked.steps }, (_, i) => i + 1)
  const ends = ways.map(({ name, off }) => `${percent(off.at(-1)!)} with a ${name}`)
  const sentence = `A bfloat16 state loses ${percent(lost)} of the updates. After ${asked.steps} steps the state is off by ${ends.join(', ')}, of the way that it goes in float64.`
  return (
    <>
      <p class="said" role="status">
        {sentence}
      </p>
      <Chart
        {...{ xTitle: 'step', yTitle: 'error over the way gone', logY: true, height: 240 }}
        says={`The error of three states by step, over how far the state moved in float64. ${sentence}`}
        series={ways.map(({ name, off }, i) => ({
          ...{ name, color: colors[i]!, dashed: i > 0, x: steps, y: off },
        }))}
      >
        A float32 state beside arithmetic of bfloat16 costs one cast a step. Rounding at random keeps the
        narrow state: right in the mean, with a walk of its own.
      </Chart>
      <DataTable
        name="Errors of the states"
        head={['state', 'error over the way gone']}
        rows={ways.map(({ name, off }) => [name, shortNumber(Number(off.at(-1)!.toPrecision(3)))])}
      />
    </>
  )
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(share < 0.1 ? 2 : 3))} %`
}
