import { answered } from '../../parts/answered.js'
import { shortNumber } from '../../parts/axisTicks.js'
import { Chart } from '../../parts/chart.js'
import { Choice, NumberField, Slider } from '../../parts/controls.js'
import { DataTable } from '../../parts/dataTable.js'
import type { SeriesColor } from '../../parts/drawChart.js'
import { Failed } from '../../parts/failed.js'
import { ShowCode } from '../../parts/showCode.js'
import {
  type StoredAnswer,
  type StoredAsked,
  type StoredName,
  type StoredRun,
  storedDTypes,
  storedModes,
  storedOptimizers,
} from './optimizersMessages.js'
import { state } from './optimizersState.js'
import { storedCode } from './storedCode.js'

const ways: Readonly<Record<StoredName, { name: string; color: SeriesColor; beside: string; lost: string }>> =
  {
    nearest: { name: 'to nearest', color: 'red', beside: 'nothing', lost: 'all of them' },
    stochastic: { name: 'stochastic', color: 'orange', beside: 'nothing', lost: 'none on average' },
    kahan: {
      name: 'Kahan',
      color: 'green',
      beside: 'a number of the same dtype',
      lost: 'what the second number cannot take',
    },
    master: { name: 'master copy', color: 'blue', beside: 'a float32 number', lost: 'none: in the copy' },
  }

const { answer, failure, useQuestion } = answered<StoredAsked, StoredAnswer>('optimizers')

/** Updates too small for the parameters that they are added to, by step, and what becomes of them. */
export function StoredFigure() {
  useQuestion(question)
  const { optimizer, rate, stored, trained, seed } = state
  const shown = answer.value
  return (
    <section aria-labelledby="stored">
      <h2 id="stored">Updates that are lost</h2>
      <p>
        64 parameters of a least squares problem, stored in few bits and trained in float32. An update under
        half an ulp of its parameter changes nothing when the sum is rounded to nearest; three ways out.
      </p>
      <div class="controls">
        <Choice label="optimizer" value={optimizer} names={storedOptimizers} />
        <NumberField label="learning rate" value={rate} min={1e-6} max={1} />
        <Choice label="parameters stored in" value={stored} names={storedDTypes} />
        <Slider label="steps" value={trained} min={10} max={1000} step={10} />
        <NumberField label="seed" value={seed} min={0} max={1e6} step={1} />
      </div>
      {failure.value !== '' && <Failed what="This could not be trained" why={failure.value} />}
      {shown ? <Shown shown={shown} /> : <p class="said">Training, four times and once in float64 …</p>}
      <ShowCode code={storedCode(question())} />
    </section>
  )
}

function question(): StoredAsked {
  const { optimizer, rate, stored, trained, seed } = state
  return {
    kind: 'stored',
    ...{ optimizer: optimizer.value, rate: rate.value, dtype: stored.value, steps: trained.value },
    seed: seed.value,
  }
}

function Shown({ shown: { asked, runs } }: { readonly shown: StoredAnswer }) {
  const steps = Array.from({ length: asked.steps }, (_, i) => i + 1)
  const series = (what: (run: StoredRun) => readonly number[]) =>
    runs.map((run) => ({
      ...{
        name: ways[run.mode].name,
        color: ways[run.mode].color,
        dashed: run.mode === 'stochastic' || run.mode === 'master',
      },
      ...{ x: steps, y: what(run) },
    }))
  const percents = (run: StoredRun): number[] => run.tooSmall.map((share) => 100 * share)
  const nearest = runs.find(({ mode }) => mode === 'nearest')
  const ends = runs.map(({ mode, distance }) => `${short(distance.at(-1)!)} ${ways[mode].name}`)
  const sentence =
    nearest && runs.length === storedModes.length
      ? `After ${asked.steps} steps ${whole(nearest.tooSmall.at(-1)!)} % of the updates are under half an ulp of their ${asked.dtype} parameter. The largest distance from the float64 run: ${ends.join(', ')}.`
      : `Training in four ways, ${runs.length} of them done …`
  return (
    <>
      <p class="said" role="status">
        {sentence}
      </p>
      <div class="two">
        <Chart
          {...{ xTitle: 'step', yTitle: '% of the updates under half an ulp', height: 230 }}
          yRange={[0, 100]}
          series={series(percents)}
          says={`The share of updates under half an ulp of their parameter, by step. ${sentence}`}
        >
          To nearest they are lost. The others have as many or fewer, but keep them, or round them up by
          chance.
        </Chart>
        <Chart
          {...{ xTitle: 'step', yTitle: 'largest distance from float64', logY: true, height: 230 }}
          series={series(({ distance }) => distance)}
          says={`The largest distance of a parameter from the float64 run, by step. ${sentence}`}
        >
          What is lost adds up: the same gradients say the same thing again, and again nothing moves.
        </Chart>
      </div>
      <DataTable
        name="The four ways"
        head={['way', 'beside the parameter', 'too small at the end', 'lost', 'largest distance at the end']}
        rows={runs.map(({ mode, tooSmall, distance }) => [
          ...[ways[mode].name, ways[mode].beside, `${whole(tooSmall.at(-1)!)} %`, ways[mode].lost],
          short(distance.at(-1)!),
        ])}
      />
    </>
  )
}

const whole = (share: number): string => (100 * share).toFixed(1)
const short = (value: number): string => shortNumber(Number(value.toPrecision(3)))
