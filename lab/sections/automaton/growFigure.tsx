import { signal, useSignalEffect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { percentText } from '#text'
import { shortNumber } from '../../parts/axisTicks.js'
import { Chart } from '../../parts/chart.js'
import { Choice, NumberField, Slider } from '../../parts/controls.js'
import { DataTable } from '../../parts/dataTable.js'
import type { SeriesColor } from '../../parts/drawChart.js'
import { Failed } from '../../parts/failed.js'
import { latestWins } from '../../parts/latestWins.js'
import { ShowCode } from '../../parts/showCode.js'
import {
  type Arithmetic,
  type AutomatonAsked,
  arithmetics,
  type GrowAnswer,
  type GrowAsked,
  type Grown,
} from './automatonMessages.js'
import { scales, state } from './automatonState.js'
import { CellsPicture, type Place } from './cellsPicture.js'
import { differenceOf, faintest, shadeOf, strongest } from './difference.js'
import { DifferencePicture } from './differencePicture.js'
import { growCode } from './growCode.js'
import { healedOf } from './healedOf.js'
import { mostSteps, mostWounds, readWounds, withWound } from './readWounds.js'

const colors: readonly SeriesColor[] = ['blue', 'red', 'green', 'orange', 'purple', 'teal', 'pink', 'grey']

const answer = signal<GrowAnswer | undefined>(undefined)
/** A step that was seen, without its cells, which would fill the memory. */
interface Seen {
  readonly seed: number
  readonly scale: number
  readonly step: number
  readonly grown: readonly Pick<Grown, 'loss' | 'lost'>[]
}

const history = signal<readonly Seen[]>([])
const failure = signal('')
const running = signal(false)
const place = signal<Place>({ x: 0.4, y: 0.5 })
const ask = signal<((asked: AutomatonAsked) => void) | undefined>(undefined)

/** The step at which a run stops by itself. */
let until = mostSteps
/** The step that a run has set; another one in the state comes from the reader, and ends the run. */
let reached = 0
/** How long it goes on living when the section is opened, and after a wound. */
const goesOn = 128

const isStill = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches

/** Runs on for some steps, unless the reader prefers reduced motion. */
function live(steps: number): void {
  if (isStill()) return
  until = Math.min(mostSteps, state.step.peek() + steps)
  if (running.peek()) return
  reached = state.step.peek()
  running.value = true
  if (answer.peek()?.step === state.step.peek()) next()
}

/** A flower that grows from one cell, in eight arithmetics at once. */
export function GrowFigure() {
  useEffect(() => {
    const still = isStill()
    const worker = latestWins<AutomatonAsked, GrowAnswer>('automaton', {
      onAnswer: (grown) => {
        failure.value = ''
        // With reduced motion only the requested step is shown, not those on the way.
        if (still && grown.step !== state.step.peek()) return
        see(grown)
        if (running.peek() && grown.step === state.step.peek()) requestAnimationFrame(next)
      },
      onFailure: (why) => {
        failure.value = why
        running.value = false
      },
    })
    ask.value = worker.ask
    // Once grown it goes on living, where the address does not name a step.
    if (state.step.peek() === grownAt && state.wounds.peek() === '') live(goesOn)
    return () => {
      ask.value = undefined
      running.value = false
      worker.close()
    }
  }, [])
  useSignalEffect(() => {
    if (state.step.value !== reached) running.value = false
  })
  useSignalEffect(() => {
    ask.value?.({ kind: 'grow', ...question() })
  })
  const shown = answer.value
  return (
    <section aria-labelledby="flower">
      <h2 id="flower">A flower grows</h2>
      <p>
        Every cell sees its neighbours and adds to itself what one small network says, the same for all cells.
        It has learned to grow a flower from one cell. Here it grows eight times, with the same weights and
        the same draws; only the arithmetic differs. Press a picture to cut a hole into all of them, and see
        whether it heals.
      </p>
      <div class="controls presets">
        {presets.map(({ name, scale, to, wounds }) => (
          <button
            key={name}
            type="button"
            onClick={() => {
              running.value = false
              state.scale.value = scale
              state.wounds.value = wounds
              // With reduced motion the end is shown at once.
              state.step.value = isStill() ? to : 0
              live(to)
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="controls">
        <button type="button" class="main" onClick={toggle}>
          {running.value ? 'Pause' : 'Run'}
        </button>
        <button
          type="button"
          disabled={running.value || state.step.value >= mostSteps}
          onClick={() => {
            state.step.value++
          }}
        >
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
        <Choice
          label="updates times"
          value={state.scale}
          names={scales}
          said={{ '1': '1, as it learned', '1/8': '1/8', '1/32': '1/32' }}
        />
        <NumberField label="seed" value={state.seed} min={0} max={1e6} step={1} />
      </div>
      {failure.value !== '' && <Failed what="It does not grow" why={failure.value} />}
      {shown ? <Shown shown={shown} /> : <p class="said">The seed is planted …</p>}
      <ShowCode code={growCode(question())} />
    </section>
  )
}

/** The step up to which the section grows it at first. */
const grownAt = 64

/** States that show what narrow arithmetic does. */
const presets = [
  { name: 'The flower as it learned', scale: '1', to: 192, wounds: '' },
  { name: 'A wound in its head', scale: '1', to: 192, wounds: '72:-0.15,-0.35,0.35' },
  { name: 'Updates times 1/8: fp8 stalls', scale: '1/8', to: 512, wounds: '' },
  { name: 'Updates times 1/32: bfloat16 stalls too', scale: '1/32', to: 1280, wounds: '' },
] as const

function question(): GrowAsked {
  const { seed, scale, step, wounds } = state
  const factor = { '1': 1, '1/8': 1 / 8, '1/32': 1 / 32 }[scale.value]
  return { seed: seed.value, scale: factor, wounds: readWounds(wounds.value), to: step.value }
}

function see(found: GrowAnswer): void {
  const { seed, scale, step } = found
  const before = history.peek().filter((one) => one.seed === seed && one.scale === scale && one.step < step)
  const grown = found.grown.map(({ loss, lost }) => ({ loss, lost }))
  history.value = [...before, { seed, scale, step, grown }]
  answer.value = found
}

function next(): void {
  if (!running.peek()) return
  if (state.step.value >= until) running.value = false
  else state.step.value = ++reached
}

function toggle(): void {
  until = mostSteps
  reached = state.step.peek()
  running.value = !running.value
  if (running.value) next()
}

function restart(): void {
  running.value = false
  state.wounds.value = ''
  state.step.value = 0
}

function hurtAt(at: Place): void {
  place.value = at
  // As many as the address holds.
  if (readWounds(state.wounds.peek()).length >= mostWounds) return
  const wound = { ...at, step: state.step.peek(), radius: state.radius.peek() }
  state.wounds.value = withWound(state.wounds.peek(), wound)
  live(goesOn)
}

function Shown({ shown: { step, grown, hurt } }: { readonly shown: GrowAnswer }) {
  const seen = history.value
  const steps = seen.map((one) => one.step)
  const wounds = readWounds(state.wounds.value)
  const indexOf = (name: string): number => arithmetics.findIndex((one) => one.name === name)
  const lossText = (name: string): string => {
    const { loss, lost } = grown[indexOf(name)]!
    return `${short(loss)} off and ${percentText(lost)} lost with ${name}`
  }
  const healed = arithmetics.map((_, i) => hurt && healedOf(hurt.before[i]!, hurt.after[i]!, grown[i]!.loss))
  const named = ['float32', 'bfloat16', 'float8_e4m3fn']
  const healing =
    hurt && step > hurt.step
      ? ` The wound of step ${hurt.step}: ${named.map((name) => `${healed[indexOf(name)]} with ${name}`).join(', ')}.`
      : ''
  // While it runs nobody could follow a sentence that changes with every frame.
  const sentence =
    running.value || step !== state.step.value
      ? 'It grows.'
      : `At step ${step}: ${named.map(lossText).join('; ')}.${healing}`
  const series = (what: (of: Seen, i: number) => number) =>
    arithmetics.map(({ name, rounding }, i) => ({
      ...{ name, color: colors[i]!, dashed: rounding === 'stochastic' },
      ...{ x: steps, y: seen.map((one) => what(one, i)) },
    }))
  return (
    <>
      <p class="said" role="status">
        {sentence}
      </p>
      <p>
        Step {step}
        {wounds.length > 0 && `, ${wounds.length} wound${wounds.length === 1 ? '' : 's'}`}. Left each flower,
        right its difference from that of float32.
      </p>
      <DecadeScale />
      <ul class="cells-row pairs">
        {arithmetics.map((arithmetic, i) => {
          const { name, rounding } = arithmetic
          const { loss, lost } = grown[i]!
          // Rounded at random an update is not lost, but taken as often as it is large.
          const fate = rounding === 'stochastic' ? 'left to chance' : 'lost'
          const words = `${short(loss)} off, ${percentText(lost)} ${fate}`
          const wound = hurt && step > hurt.step ? `the wound is ${healed[i]}` : ''
          const most = differenceOf(grown[i]!, grown[0]!).reduce((a, b) => Math.max(a, b), 0)
          return (
            <li key={name}>
              <div class="pair">
                <CellsPicture
                  grown={grown[i]!}
                  place={place.value}
                  radius={state.radius.value}
                  says={`${name}: step ${step}, ${words}.`}
                  onMove={(to) => {
                    place.value = to
                  }}
                  onHurt={hurtAt}
                />
                {i === 0 ? (
                  <p>The others are compared with this one.</p>
                ) : (
                  <DifferencePicture
                    grown={grown[i]!}
                    from={grown[0]!}
                    says={`${name}: a cell differs from that of float32 by ${short(most)} at most.`}
                  />
                )}
              </div>
              <strong>
                <Swatch index={i} dashed={rounding === 'stochastic'} /> {name}
              </strong>
              <span>{madeOf(arithmetic)}</span>
              <span>{words}</span>
              {i > 0 && <span>differs by {short(most)} at most</span>}
              {wound !== '' && <span>{wound}</span>}
            </li>
          )
        })}
      </ul>
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

/** What an arithmetic is made of, in words. */
function madeOf({ dtype, stateDtype, rounding }: Arithmetic): string {
  const how = rounding === 'stochastic' ? ', rounded at random' : ''
  return `computes in ${dtype}, keeps its state in ${stateDtype}${how}`
}

/** The line of an arithmetic in the charts. */
function Swatch({ index, dashed }: { readonly index: number; readonly dashed: boolean }) {
  return (
    <svg class="swatch" viewBox="0 0 22 8" aria-hidden="true">
      <line
        x1="0"
        x2="22"
        y1="4"
        y2="4"
        stroke={`var(--series-${colors[index]})`}
        stroke-width="4"
        stroke-dasharray={dashed ? '5 3' : undefined}
      />
    </svg>
  )
}

/** What the shades of a difference mean. */
function DecadeScale() {
  const decades = Array.from({ length: strongest - faintest + 1 }, (_, i) => 10 ** (faintest + i))
  return (
    <ul class="legend" aria-label="The shades of a difference">
      {decades.map((decade) => (
        <li key={decade}>
          <svg viewBox="0 0 28 8" aria-hidden="true">
            <rect x="0.5" y="0.5" width="27" height="7" fill="var(--panel)" stroke="var(--edge)" />
            <rect width="28" height="8" fill="var(--series-red)" opacity={shadeOf(decade)} />
          </svg>
          {shortNumber(decade)}
          {decade === 10 ** faintest ? ' or less' : decade === 10 ** strongest ? ' or more' : ''}
        </li>
      ))}
    </ul>
  )
}

const short = (value: number): string => shortNumber(Number(value.toPrecision(3)))
