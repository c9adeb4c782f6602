import { useEffect, useMemo } from 'preact/hooks'
import type { Step2750Options } from 'tpu-toolkit/step2750'
import { Chart } from '../../parts/chart.js'
import { Check, Choice } from '../../parts/controls.js'
import type { ChartMark, ChartSeries } from '../../parts/drawChart.js'
import { Failed } from '../../parts/failed.js'
import { ShowCode } from '../../parts/showCode.js'
import { flag, oneOf, sectionState } from '../../shell/urlState.js'
import { LastSteps } from './lastSteps.js'
import { type NanRun, nanRun } from './nanRun.js'
import { nodeHashes } from './nodeHashes.js'

const cumsums = [
  'sequential',
  'stable',
  'stable-keep',
  'kahan',
  'neumaier',
  'blocked-16',
  'associative',
  'pairwise',
] as const
const forms = [
  'factorized',
  'clamped',
  'pairwise',
  'pairwise-mask-after',
  'segsum',
  'chunked',
  'recurrence',
] as const
const dtypes = ['bfloat16', 'float16', 'float32', 'float8_e5m2', 'float8_e4m3fn'] as const
/** By rate, steps enough for the naive run to end: the NaN comes at lr x step = 0.757. */
const rates = { '2.75e-4': 3000, '1e-3': 830, '2.75e-3': 330 } as const

const state = sectionState('nan', {
  cumsum: oneOf(cumsums, 'stable'),
  form: oneOf(forms, 'factorized'),
  dtype: oneOf(dtypes, 'bfloat16'),
  zeroNans: flag(false),
  rate: oneOf(['2.75e-4', '1e-3', '2.75e-3'] as const, '2.75e-4'),
})

const naive = nanRun()
const beside = nanRun()
/** Where the exponential of float32 and bfloat16 overflows: ln of the largest number. */
const overflow = 88.72

/** The experiment live: the naive run, and beside it the same one with something changed. */
export function NanSection() {
  const shared = { lr: Number(state.rate.value), steps: rates[state.rate.value] }
  const changed = changes()
  const besideOptions = { ...shared, ...changed }
  const key = JSON.stringify(besideOptions)
  // Nobody is shown what moves by itself who asked for stillness.
  const still = useMemo(() => matchMedia('(prefers-reduced-motion: reduce)').matches, [])
  useEffect(() => {
    if (still) naive.stop()
    else naive.start(shared)
    return naive.stop
  }, [state.rate.value])
  useEffect(() => {
    if (still) beside.stop()
    else beside.start(besideOptions)
    return beside.stop
  }, [key])
  const running = naive.state.value === 'running' || beside.state.value === 'running'
  const start = (): void => {
    naive.start(shared)
    beside.start(besideOptions)
  }
  const stop = (): void => {
    naive.stop()
    beside.stop()
  }
  return (
    <>
      <p class="lead">
        A layer of five numbers is trained in bfloat16. For thousands of steps nothing is wrong; then one
        addition of a running sum is no longer lost, an exponential overflows, and everything is NaN. Change
        one thing beside it, and see.
      </p>
      <fieldset class="controls">
        <legend>The run beside it has</legend>
        <Choice
          label="running sum"
          value={state.cumsum}
          names={cumsums}
          said={{ sequential: 'sequential (naive)', stable: 'stable: float32 inside' }}
        />
        <Choice label="form" value={state.form} names={forms} said={{ factorized: 'factorized (naive)' }} />
        <Choice label="dtype" value={state.dtype} names={dtypes} said={{ bfloat16: 'bfloat16 (naive)' }} />
        <Check label="optimizer with NaN gradients to 0" value={state.zeroNans} />
      </fieldset>
      <div class="controls">
        <Choice
          label="learning rate of both"
          value={state.rate}
          names={['2.75e-4', '1e-3', '2.75e-3']}
          said={{ '2.75e-4': '2.75e-4: step 2750', '1e-3': '1e-3: step 757', '2.75e-3': '2.75e-3: step 275' }}
        />
        <button type="button" class="main" onClick={running ? stop : start}>
          {running ? 'Stop' : 'Run again'}
        </button>
      </div>
      <p class="said" role="status">
        {verdict(naive, 'The naive run')} {verdict(beside, 'The run beside it')}
      </p>
      {naive.failure.value !== '' && <Failed what="The naive run failed" why={naive.failure.value} />}
      {beside.failure.value !== '' && <Failed what="The run beside it failed" why={beside.failure.value} />}
      <Chart
        {...{ xTitle: 'step', yTitle: 'loss', logY: true, height: 230 }}
        series={lines('loss')}
        marks={ends()}
        xRange={[0, shared.steps]}
        says={`The loss of both runs by step. ${verdict(naive, 'The naive run')} ${verdict(beside, 'The run beside it')}`}
      >
        The loss of both, medians of ten points, on a logarithmic axis. Before the last step nothing tells
        that it is the last.
      </Chart>
      <div class="two">
        <Chart
          {...{ xTitle: 'step', yTitle: 'largest exponent', height: 210 }}
          series={lines('span')}
          marks={[...ends(), { y: overflow, word: 'exp overflows' }]}
          xRange={[0, shared.steps]}
          says="The largest exponent that the factorized form takes, |A| times the running sum's span, by step of both runs."
        >
          |A| (cs_end − cs_0), the largest exponent of the factorized form. Above {overflow} its exponential
          is Inf.
        </Chart>
        <Chart
          {...{ xTitle: 'step', yTitle: 'cs_end', height: 210 }}
          series={lines('csEnd')}
          marks={ends()}
          xRange={[0, shared.steps]}
          says="The running sum of the time steps at its end, by step of both runs."
        >
          The running sum at its end. The naive one stands still while every addition is lost, then jumps.
        </Chart>
      </div>
      <LastSteps naive={naive} beside={beside} />
      <SameBits />
      <ShowCode code={program(shared, changed)} />
    </>
  )
}

/** What the run beside it has that the naive one has not. */
function changes(): Step2750Options {
  const { cumsum, form, dtype, zeroNans } = state
  return {
    ...(cumsum.value === 'sequential' ? {} : { cumsum: cumsum.value }),
    ...(form.value === 'factorized' ? {} : { form: form.value }),
    ...(dtype.value === 'bfloat16' ? {} : { dtype: dtype.value }),
    ...(zeroNans.value ? { zeroNans: true } : {}),
  }
}

function lines(what: 'loss' | 'span' | 'csEnd'): ChartSeries[] {
  const [a, b] = [naive, beside].map(({ points: { value } }) =>
    what === 'loss' ? medians(value.steps, value.loss) : { x: value.steps, y: value[what] },
  )
  return [
    { name: 'naive', color: 'red', ...a! },
    { name: 'beside it', color: 'blue', dashed: true, ...b! },
  ]
}

/** The medians of ten points each: single losses jump by a factor of a hundred from sequence to sequence. */
function medians(steps: readonly number[], loss: readonly number[]): { x: number[]; y: number[] } {
  const x: number[] = []
  const y: number[] = []
  for (let i = 0; i + 10 <= loss.length; i += 10) {
    x.push(steps[i + 5]!)
    y.push(loss.slice(i, i + 10).sort((a, b) => a - b)[5]!)
  }
  return { x, y }
}

function ends(): ChartMark[] {
  const marks: ChartMark[] = []
  for (const [run, word] of [
    [naive, 'NaN'],
    [beside, 'NaN beside it'],
  ] as const) {
    const step = run.end.value?.firstNonFiniteStep
    if (typeof step === 'number') marks.push({ x: step, word: `${word}, step ${step}` })
  }
  // One line for two runs that end at the same step.
  return marks.length === 2 && marks[0]!.x === marks[1]!.x
    ? [{ ...marks[0]!, word: `NaN in both, step ${marks[0]!.x}` }]
    : marks
}

function verdict({ state, points, end }: NanRun, who: string): string {
  if (end.value) {
    const { firstNonFiniteStep, stepsRun, event } = end.value
    if (firstNonFiniteStep === null) return `${who} is clean at step ${stepsRun}.`
    const why = event === null ? '' : `: ${event.kind} in ${event.op}`
    return `${who} is NaN at step ${firstNonFiniteStep}${why}.`
  }
  if (state.value === 'running') return `${who} is under way.`
  if (state.value === 'stopped') return `${who} was stopped at step ${points.value.steps.at(-1) ?? 0}.`
  return state.value === 'failed' ? `${who} failed.` : `${who} waits.`
}

/** Whether this browser computed what Node computes. */
function SameBits() {
  const expected = nodeHashes[state.rate.value]
  const end = naive.end.value
  if (!expected || !end) return null
  const same = end.hash === expected
  return (
    <p class={same ? undefined : 'error'}>
      {same ? 'Your browser: equal bits. ' : 'Your browser computes other bits. '}
      The {end.stepsRun} losses of the naive run have the hash <code>{end.hash}</code>; in Node it is{' '}
      <code>{expected}</code>. It took {(end.milliseconds / 1000).toFixed(1)} s here.
    </p>
  )
}

function program(shared: { readonly lr: number; readonly steps: number }, changed: Step2750Options): string {
  const record = (options: object): string =>
    `{ ${Object.entries(options)
      .map(([name, value]) => `${name}: ${typeof value === 'string' ? `'${value}'` : value}`)
      .join(', ')} }`
  return `import { runStep2750 } from 'tpu-toolkit/step2750'

const naive = runStep2750(${record(shared)})
console.log(naive.explanation.text)

const beside = runStep2750(${record({ ...shared, ...changed })})
console.log(beside.explanation.text)
`
}
