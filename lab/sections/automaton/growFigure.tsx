import { signal, useSignalEffect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { percentText } from '#text'
import { shortNumber } from '../../parts/axisTicks.js'
import { Chart } from '../../parts/chart.js'
import { NumberField, Slider } from '../../parts/controls.js'
import { DataTable } from '../../parts/dataTable.js'
import type { SeriesColor } from '../../parts/drawChart.js'
import { Failed } from '../../parts/failed.js'
import { latestWins } from '../../parts/latestWins.js'
import { ShowCode } from '../../parts/showCode.js'
import { type AutomatonAsked, arithmetics, type GrowAnswer } from './automatonMessages.js'
import { state } from './automatonState.js'
import { CellsPicture, type Place } from './cellsPicture.js'
import { growCode } from './growCode.js'
import { mostSteps, mostWounds, readWounds, withWound } from './readWounds.js'

const colors: readonly SeriesColor[] = ['blue', 'red', 'green', 'orange', 'purple', 'teal', 'pink', 'grey']

const answer = signal<GrowAnswer | undefined>(undefined)
/** What there was at the steps that were seen. */
const history = signal<readonly GrowAnswer[]>([])
const failure = signal('')
const running = signal(false)
const place = signal<Place>({ x: 0.4, y: 0.5 })
const ask = signal<((asked: AutomatonAsked) => void) | undefined>(undefined)

/** A flower that grows from one cell, in eight arithmetics at once. */
export function GrowFigure() {
  useEffect(() => {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches
    const worker = latestWins<AutomatonAsked, GrowAnswer>('automaton', {
      onAnswer: (told) => {
        failure.value = ''
        // Who asked for stillness is shown the step that was asked for, not those on the way.
        if (still && told.step !== state.step.peek()) return
        see(told)
        if (running.peek() && told.step === state.step.peek()) requestAnimationFrame(next)
      },
      onFailure: (why) => {
        failure.value = why
        running.value = false
      },
    })
    ask.value = worker.ask
    return () => {
      ask.value = undefined
      running.value = false
      worker.close()
    }
  }, [])
  useSignalEffect(() => {
    const { seed, step, wounds } = state
    ask.value?.({ kind: 'grow', seed: seed.value, wounds: readWounds(wounds.value), to: step.value })
  })
  const shown = answer.value
  return (
    <section aria-labelledby="flower">
      <h2 id="flower">A flower grows</h2>
      <p>
        Every cell sees its neighbours and adds to itself what one small network says, the same for all cells.
        It has learned to grow a flower from one cell. Here it grows eight times, with the same weights and
        the same draws; only the arithmetic differs. Press a picture to cut a hole into all of them.
      </p>
      <div class="controls">
        <button type="button" class="main" onClick={toggle}>
          {running.value ? 'Pause' : 'Run'}
        </button>
        <button type="button" disabled={state.step.value >= mostSteps} onClick={next}>
          One step
        </button>
        <button type="button" onClick={restart}>
          Back to the seed
        </button>
        <Slider
          label="radius of a wound"
          value={state.radius}
          min={0.1}
          max={1}
          step={0.05}
          said={(radius) => radius.toFixed(2)}
        />
        <NumberField label="seed" value={state.seed} min={0} max={1e6} step={1} />
      </div>
      {failure.value !== '' && <Failed what="It does not grow" why={failure.value} />}
      {shown ? <Shown shown={shown} /> : <p class="said">The seed is planted …</p>}
      <ShowCode code={growCode(state.seed.value, state.step.value, readWounds(state.wounds.value))} />
    </section>
  )
}

function see(told: GrowAnswer): void {
  const before = history.peek().filter(({ seed, step }) => seed === told.seed && step < told.step)
  history.value = [...before, told]
  answer.value = told
}

function next(): void {
  if (state.step.value >= mostSteps) running.value = false
  else state.step.value++
}

function toggle(): void {
  running.value = !running.value
  if (running.value) next()
}

function restart(): void {
  running.value = false
  state.wounds.value = ''
  state.step.value = 0
}

function hurt(at: Place): void {
  place.value = at
  // As many as the address holds.
  if (readWounds(state.wounds.peek()).length >= mostWounds) return
  const wound = { ...at, step: state.step.peek(), radius: state.radius.peek() }
  state.wounds.value = withWound(state.wounds.peek(), wound)
}

function Shown({ shown: { step, grown } }: { readonly shown: GrowAnswer }) {
  const seen = history.value
  const steps = seen.map((one) => one.step)
  const wounds = readWounds(state.wounds.value)
  const at = (name: string) => grown[arithmetics.findIndex((one) => one.name === name)]!
  const told = (name: string): string =>
    `${short(at(name).loss)} off and ${percentText(at(name).lost)} lost with ${name}`
  // While it runs nobody could follow a sentence that changes with every frame.
  const sentence =
    running.value || step !== state.step.value
      ? 'It grows.'
      : `At step ${step}: ${['float32', 'bfloat16', 'float8_e4m3fn'].map(told).join('; ')}.`
  const series = (what: (of: GrowAnswer, i: number) => number) =>
    arithmetics.map(({ name, rounding }, i) => ({
      ...{ name, color: colors[i]!, dashed: rounding === 'stochastic' },
      ...{ x: steps, y: seen.map((one) => what(one, i)) },
    }))
  return (
    <>
      <p class="said" role="status">
        {sentence}
      </p>
      <ul class="cells-row">
        {arithmetics.map(({ name, rounding }, i) => {
          const { loss, lost } = grown[i]!
          // Rounded at random an update is not lost, but taken as often as it is large.
          const fate = rounding === 'stochastic' ? 'left to chance' : 'lost'
          const words = `${short(loss)} off, ${percentText(lost)} ${fate}`
          return (
            <li key={name}>
              <CellsPicture
                grown={grown[i]!}
                place={place.value}
                radius={state.radius.value}
                says={`${name}: step ${step}, ${words}.`}
                onMove={(to) => {
                  place.value = to
                }}
                onHurt={hurt}
              />
              <strong>{name}</strong>
              <span>{words}</span>
            </li>
          )
        })}
      </ul>
      <p>
        Step {step}
        {wounds.length > 0 && `, ${wounds.length} wound${wounds.length === 1 ? '' : 's'}`}.
      </p>
      <div class="two">
        <Chart
          {...{ xTitle: 'step', yTitle: 'mean square off the flower', logY: true, height: 250 }}
          xRange={[0, Math.max(32, step)]}
          series={series((one, i) => one.grown[i]!.loss)}
          says={`How far each is off the flower, by step. ${sentence}`}
        >
          Red, green, blue and opacity of all cells beside those of the flower that it learned.
        </Chart>
        <Chart
          {...{ xTitle: 'step', yTitle: '% of the updates under half an ulp', height: 250 }}
          xRange={[0, Math.max(32, step)]}
          yRange={[0, 100]}
          series={series((one, i) => 100 * one.grown[i]!.lost)}
          says={`The share of the updates under half an ulp of the state, by step. ${sentence}`}
        >
          To nearest they are lost; at random they are taken as often as they are large. Counted every sixteen
          steps.
        </Chart>
      </div>
      <details>
        <summary>The numbers of step {step}</summary>
        <DataTable
          name="The flower in each arithmetic"
          head={['arithmetic', 'off', 'updates under half an ulp']}
          rows={arithmetics.map(({ name }, i) => [name, short(grown[i]!.loss), percentText(grown[i]!.lost)])}
        />
      </details>
    </>
  )
}

const short = (value: number): string => shortNumber(Number(value.toPrecision(3)))
