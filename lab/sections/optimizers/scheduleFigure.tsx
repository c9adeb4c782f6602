import type { ComponentChild } from 'preact'
import { round } from 'tpu-toolkit/formats'
import type { Schedule } from 'tpu-toolkit/schedule'
import { shortNumber } from '../../parts/axisTicks.js'
import { Chart } from '../../parts/chart.js'
import { Check, Choice, NumberField, Slider } from '../../parts/controls.js'
import { DataTable } from '../../parts/dataTable.js'
import { Failed } from '../../parts/failed.js'
import { ShowCode } from '../../parts/showCode.js'
import {
  interpolations,
  mostSteps,
  type OptimizersValues,
  rateDTypes,
  remainders,
  state,
  wsdShapes,
} from './optimizersState.js'
import { scheduleKinds } from './scheduleKinds.js'
import { scheduleNames } from './scheduleNames.js'

/** A schedule by its own options, drawn as they change, and what a narrow dtype makes of its rates. */
export function ScheduleFigure() {
  const values = valuesNow()
  const { controls, peakName = 'peakValue', of } = scheduleKinds[values.schedule]
  const drawn = drawnOf(values)
  return (
    <section aria-labelledby="schedules">
      <h2 id="schedules">Schedules</h2>
      <div class="controls">
        <Choice label="schedule" value={state.schedule} names={scheduleNames} />
        <Slider label="steps drawn" value={state.drawn} min={10} max={mostSteps} step={10} said={grouped} />
        <Choice label="rates rounded to" value={state.rounded} names={rateDTypes} />
        <Check label="logarithmic" value={state.log} />
      </div>
      <fieldset class="controls">
        <legend>Its options</legend>
        {controls.map((name) => (
          <Control key={name} name={name} peakName={peakName} />
        ))}
      </fieldset>
      {drawn instanceof Error ? (
        <Failed what="No such schedule" why={drawn.message} />
      ) : (
        <Drawn drawn={drawn} />
      )}
      {!(drawn instanceof Error) && <ShowCode code={program(of(values).code, values)} />}
    </section>
  )
}

interface Rates {
  readonly steps: readonly number[]
  readonly rates: readonly number[]
  readonly rounded: readonly number[]
}

function drawnOf(values: OptimizersValues): Rates | Error {
  let rate: Schedule
  try {
    rate = scheduleKinds[values.schedule].of(values).make()
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown))
  }
  const steps = Array.from({ length: values.drawn + 1 }, (_, step) => step)
  const rates = steps.map(rate)
  const { rounded } = values
  return {
    ...{ steps, rates },
    rounded: rates.map((value) => (rounded === 'float32' ? Math.fround(value) : round(value, rounded))),
  }
}

function Drawn({ drawn: { steps, rates, rounded } }: { readonly drawn: Rates }) {
  const dtype = state.rounded.value
  const peak = rates.reduce((most, value) => Math.max(most, value), 0)
  const at = rates.indexOf(peak)
  const held = longestRun(rounded)
  const sentence = `The highest rate is ${shortNumber(peak)}, at step ${grouped(at)}. In ${dtype} the ${grouped(rates.length)} rates are ${grouped(new Set(rounded).size)} different numbers, and one of them holds for ${grouped(held)} steps.`
  const added = rates.map((value, i) => (value === 0 ? 0 : 100 * (rounded[i]! / value - 1)))
  const most = Number(added.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0).toPrecision(3))
  const tenths = Array.from({ length: 11 }, (_, i) => Math.round((i * (steps.length - 1)) / 10))
  return (
    <>
      <p class="said" role="status">
        {sentence}
      </p>
      <div class="two">
        <Chart
          {...{ xTitle: 'step', yTitle: 'rate', height: 250, logY: state.log.value }}
          says={`The rate by step. ${sentence}`}
          series={[
            { name: 'in float64', color: 'blue', x: steps, y: rates },
            { name: `rounded to ${dtype}`, color: 'red', dashed: true, x: steps, y: rounded },
          ]}
        >
          Schedules are computed in float64; who applies a rate rounds it to the dtype in use. On a
          logarithmic axis a rate of 0 is a gap.
        </Chart>
        <Chart
          {...{ xTitle: 'step', yTitle: '% that rounding adds to the rate', height: 250 }}
          says={`What rounding to ${dtype} adds to the rate, in percent, by step: at most ${shortNumber(most)} % either way.`}
          series={[{ name: `in ${dtype}`, color: 'red', x: steps, y: added }]}
        >
          A rate that is rounded falls in stairs: too high before a step down, too low behind it.
        </Chart>
      </div>
      <details>
        <summary>Eleven of the rates</summary>
        <DataTable
          name="Rates"
          head={['step', 'rate', `in ${dtype}`]}
          rows={tenths.map((step) => [grouped(step), plain(rates[step]!), plain(rounded[step]!)])}
        />
      </details>
    </>
  )
}

function Control({ name, peakName }: { readonly name: keyof OptimizersValues; readonly peakName: string }) {
  return makers[name]?.(peakName) ?? null
}

const steps = (label: 'warmupSteps' | 'stableSteps' | 'decaySteps' | 'transitionSteps' | 'transitionBegin') =>
  counted(label, state[label])
const value = (label: 'initValue' | 'endValue') => () => (
  <NumberField label={label} value={state[label]} min={0} max={100} />
)

function counted(label: string, signal: (typeof state)['warmupSteps']): () => ComponentChild {
  return () => (
    <Slider
      label={label}
      value={signal}
      min={0}
      max={Math.max(state.drawn.value, signal.value)}
      said={grouped}
    />
  )
}

function share(
  label: 'alpha' | 'pctStart' | 'pctFinal' | 'decayRate' | 'power' | 'exponent' | 'cycleMult' | 'peakMult',
  min: number,
  max: number,
  step: number,
  said: string = label,
): () => ComponentChild {
  return () => <Slider label={said} value={state[label]} min={min} max={max} step={step} />
}

/** A control for each option, by its name in the state. */
const makers: Readonly<Partial<Record<keyof OptimizersValues, (peakName: string) => ComponentChild>>> = {
  initValue: value('initValue'),
  peakValue: (peakName) => <NumberField label={peakName} value={state.peakValue} min={0} max={100} />,
  endValue: value('endValue'),
  warmupSteps: steps('warmupSteps'),
  stableSteps: steps('stableSteps'),
  decaySteps: steps('decaySteps'),
  transitionSteps: steps('transitionSteps'),
  transitionBegin: steps('transitionBegin'),
  timescale: counted('timescale', state.timescale),
  totalSteps: counted('totalSteps', state.totalSteps),
  firstCycle: counted('decaySteps of the first cycle', state.firstCycle),
  power: share('power', 0, 5, 0.1),
  exponent: share('exponent', 0, 5, 0.1),
  alpha: share('alpha', 0, 1, 0.01),
  decayRate: share('decayRate', 0, 1.5, 0.01),
  pctStart: share('pctStart', 0, 1, 0.01),
  pctFinal: share('pctFinal', 0, 1, 0.01),
  cycleMult: share('cycleMult', 1, 4, 0.1, 'each cycle longer by'),
  peakMult: share('peakMult', 0.1, 1, 0.01, 'and its peak times'),
  cycles: () => <Slider label="cycles" value={state.cycles} min={1} max={8} />,
  divFactor: () => <NumberField label="divFactor" value={state.divFactor} min={1} max={1e6} />,
  finalDivFactor: () => <NumberField label="finalDivFactor" value={state.finalDivFactor} min={1} max={1e6} />,
  staircase: () => <Check label="staircase" value={state.staircase} />,
  decayShape: () => <Choice label="decayShape" value={state.decayShape} names={wsdShapes} />,
  interpolateType: () => (
    <Choice label="interpolateType" value={state.interpolateType} names={interpolations} />
  ),
  remainder: () => <Choice label="remainder" value={state.remainder} names={remainders} />,
  boundaries: () => (
    <label class="field">
      boundariesAndScales
      <input
        type="text"
        spellcheck={false}
        value={state.boundaries.value}
        onInput={({ currentTarget }) => {
          state.boundaries.value = currentTarget.value
        }}
      />
    </label>
  ),
}

function valuesNow(): OptimizersValues {
  // Object.fromEntries forgets which name has which type.
  return Object.fromEntries(
    Object.entries(state).map(([name, signal]) => [name, signal.value]),
  ) as unknown as OptimizersValues
}

/** How many steps the number that holds longest holds, those at the end left out where it holds for ever. */
function longestRun(values: readonly number[]): number {
  let [longest, since] = [0, 0]
  for (let i = 1; i <= values.length; i++) {
    if (i < values.length && values[i] === values[since]) continue
    longest = Math.max(longest, i - since)
    since = i
  }
  return longest
}

function grouped(count: number): string {
  return count.toLocaleString('en')
}

function plain(rate: number): string {
  return String(Number(rate.toPrecision(7)))
}

function program(code: string, { drawn, rounded }: OptimizersValues): string {
  const names = [...new Set([...code.matchAll(/([a-zA-Z]+)\(/g)].map(([, name]) => name!))].sort()
  const narrow = rounded === 'float32' ? 'Math.fround(value)' : `round(value, '${rounded}')`
  return `${rounded === 'float32' ? '' : "import { round } from 'tpu-toolkit/formats'\n"}import { ${names.join(', ')} } from 'tpu-toolkit/schedule'

const rate = ${code}
const rates = Array.from({ length: ${drawn + 1} }, (_, step) => rate(step))
const narrow = rates.map((value) => ${narrow})
for (let i = 0; i <= 10; i++) {
  const step = Math.round((i * ${drawn}) / 10)
  console.log(step, rates[step], narrow[step])
}
console.log(new Set(narrow).size, 'different numbers')
`
}
