import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Chart } from '../../../parts/chart.js'
import { EmbedButton, useFigureClass } from '../../../parts/embedding.js'
import { medians } from '../medians.js'
import { type RecordedStep, recordedRun } from './recordedRun.js'
import { type SumAt, sumAt } from './sumAt.js'

/** Where the exponential of float32 and bfloat16 overflows: ln of the largest number. */
const overflow = 88.72
const { last, steps, losses, end } = recordedRun
/** The sum behind the first, long time step, which no later addition changed before the last. */
const first = last[0]!.csEnd
const half = 0.0625

/** The run to NaN as Node recorded it, at the step before the end: to be played, stepped through and played again. */
export function RecordedFigure({ brief = false }: { readonly brief?: boolean }) {
  const only = useFigureClass('recorded-run')
  const at = useSignal(last.length - 2)
  const playing = useSignal(false)
  const shown = last[at.value]!
  useEffect(() => {
    if (!playing.value) return undefined
    const timer = setInterval(() => {
      if (at.value < last.length - 1) at.value++
      if (at.value === last.length - 1) playing.value = false
    }, 250)
    return () => clearInterval(timer)
  }, [playing.value])
  const ended = at.value === last.length - 1
  const move = (to: number): void => {
    playing.value = false
    at.value = Math.min(last.length - 1, Math.max(0, to))
  }
  const sum = sumAt(first, shown.dt)
  return (
    <section class={only} aria-label="The recorded run">
      <div class="controls">
        <button
          type="button"
          class="main"
          onClick={() => {
            if (ended) at.value = last.length - 21
            playing.value = !playing.value
          }}
        >
          {playing.value ? 'Pause' : ended ? 'Play the last 20 steps again' : 'Play'}
        </button>
        <button type="button" disabled={at.value === 0} onClick={() => move(at.value - 1)}>
          One step back
        </button>
        <button type="button" disabled={ended} onClick={() => move(at.value + 1)}>
          One step on
        </button>
        <label class="field">
          <span>
            step <strong>{shown.step.toLocaleString('en')}</strong> of {end.toLocaleString('en')}
          </span>
          <input
            type="range"
            min={last[0]!.step}
            max={end}
            value={shown.step}
            onInput={({ currentTarget }) => move(currentTarget.valueAsNumber - last[0]!.step)}
          />
        </label>
      </div>
      <dl class="facts figures">
        <Fact name="loss" value={shown.loss === null ? 'NaN' : shown.loss.toPrecision(4)} bad={ended} />
        <Fact
          name="exponent |A| · (cs_end − cs_0)"
          value={String(Number(shown.span.toPrecision(4)))}
          bad={shown.span > overflow}
        />
        <Fact name="running sum cs_end, in bfloat16" value={String(shown.csEnd)} bad={ended} />
        <Fact name="the same sum, exactly" value={sum.exact.at(-1)!.toPrecision(5)} bad={false} />
      </dl>
      <p class="said" role="status">
        {sentence(shown, sum)}
      </p>
      <div class="two">
        <Chart
          {...{ figure: 'recorded-sum', xTitle: 'position', yTitle: 'running sum', height: 230 }}
          yRange={[15, 34]}
          series={[
            { name: 'as bfloat16 adds it', color: 'red', x: sum.x, y: sum.rounded },
            { name: 'exactly', color: 'blue', dashed: true, x: sum.x, y: sum.exact },
          ]}
          says={`The running sum over the 128 positions at step ${shown.step}: ${sum.rounded.at(-1)} in bfloat16, ${sum.exact.at(-1)!.toPrecision(5)} exactly.`}
        >
          The sum at this step, over the 128 positions of the sequence. Bfloat16 numbers above 16 are 0.125
          apart: an addend below 0.0625 is rounded away, one above counts as 0.125.
        </Chart>
        <Chart
          {...{ figure: 'recorded-exponent', xTitle: 'step', yTitle: 'largest exponent', height: 230 }}
          xRange={[last[0]!.step, end + 3]}
          series={[
            {
              name: 'exponent',
              color: 'red',
              x: last.slice(0, at.value + 1).map(({ step }) => step),
              y: last.slice(0, at.value + 1).map(({ span }) => span),
            },
          ]}
          yRange={[-5, 125]}
          marks={[
            { y: overflow, word: 'exp overflows' },
            { x: shown.step, word: `step ${shown.step}` },
          ]}
          says={`The largest exponent by step, ${shown.span.toPrecision(4)} at step ${shown.step}; above ${overflow} its exponential is Inf.`}
        >
          The largest exponent that the layer takes. Above {overflow} its exponential is Inf, and Inf times 0
          is NaN.
        </Chart>
      </div>
      {!brief && (
        <Chart
          {...{ figure: 'recorded-loss', xTitle: 'step', yTitle: 'loss', logY: true, height: 190 }}
          xRange={[0, 2800]}
          series={[{ name: 'loss, medians of ten points', color: 'red', ...medians(steps, losses) }]}
          marks={[{ x: end, word: `NaN, step ${end}` }]}
          says={`The loss of the recorded run by step, until it is NaN at step ${end}.`}
        >
          The whole run. Its loss gives no warning: it falls until the step that ends it.
        </Chart>
      )}
      <p>
        <EmbedButton
          figure="recorded-run"
          words="Embed the run"
          title="A training run to NaN, step by step"
          height={900}
        />
      </p>
    </section>
  )
}

function Fact(props: { readonly name: string; readonly value: string; readonly bad: boolean }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd class={props.bad ? 'bad' : undefined}>{props.value}</dd>
    </div>
  )
}

function sentence({ step, dt, span, csEnd, loss }: RecordedStep, { lost }: SumAt): string {
  const below = dt < half
  const compared = `dt = ${dt} is ${below ? 'below' : 'above'} ${half}, half the distance between bfloat16 numbers at ${first}`
  if (below)
    return `Step ${step}: ${compared}, so all ${lost} additions are rounded away and the loss is ${loss?.toPrecision(4)}.`
  return `Step ${step}: ${compared}, so ${127 - lost} additions count, and each adds 0.125. The sum is ${csEnd}, the exponent ${span.toPrecision(4)}, its exponential Inf, and the loss NaN.`
}
