import { useEffect } from 'preact/hooks'
import type { Step2750Options } from 'tpu-toolkit/step2750'
import { Chart } from '../../parts/chart.js'
import { Check, Choice } from '../../parts/controls.js'
import type { ChartMark, ChartSeries } from '../../parts/drawChart.js'
import { Failed } from '../../parts/failed.js'
import { ShowCode } from '../../parts/showCode.js'
import { flag, oneOf, sectionState } from '../../shell/urlState.js'
import { LastSteps } from './lastSteps.js'
import { medians } from './medians.js'
import { type NanRun, nanRun } from './nanRun.js'
import { nodeHashes } from './nodeHashes.js'
import { RecordedFigure } from './recorded/recordedFigure.js'
import { recordedRun } from './recorded/recordedRun.js'

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
const rates = { '2.75e-3': 330, '1e-3': 830, '2.75e-4': 3000 } as const

const state = sectionState('nan', {
  cumsum: oneOf(cumsums, 'stable'),
  form: oneOf(forms, 'factorized'),
  dtype: oneOf(dtypes, 'bfloat16'),
  zeroNans: flag(false),
  rate: oneOf(['2.75e-3', '1e-3', '2.75e-4'] as const, '2.75e-3'),
  run: flag(false),
})

const naive = nanRun()
const beside = nanRun()
/** Where the exponential of float32 and bfloat16 overflows: ln of the largest number. */
const overflow = 88.72

/** What each run was last started with: one that has ended is shown again, not computed again. */
const begun = { naive: '', beside: '' }

function begin(run: NanRun, which: keyof typeof begun, options: Step2750Options, again: boolean): void {
  const key = JSON.stringify(options)
  if (!again && begun[which] === key && run.state.peek() !== 'waiting') return
  begun[which] = key
  run.start(options)
}

/** The experiment: the recorded run first, then live, and beside it the same one with something changed. */
export function NanSection() {
  const shared = { lr: Number(state.rate.value), steps: rates[state.rate.value] }
  const changed = changes()
  const besideOptions = { ...shared, ...changed }
  // What was computed stays, also for who leaves the section and comes back.
  useEffect(() => {
    if (state.run.value) begin(naive, 'naive', shared, false)
    else naive.stop()
  }, [state.run.value, state.rate.value])
  useEffect(() => {
    if (state.run.value) begin(beside, 'beside', besideOptions, false)
    else beside.stop()
  }, [state.run.value, JSON.stringify(besideOptions)])
  const running = naive.state.value === 'running' || beside.state.value === 'running'
  const start = (): void => {
    begin(naive, 'naive', shared, true)
    begin(beside, 'beside', besideOptions, true)
    state.run.value = true
  }
  const stop = (): void => {
    naive.stop()
    beside.stop()
  }
  return (
    <>
      <p>
        The run below was recorded in Node, with the library of this page: a state-space layer of five
        numbers, trained in bfloat16. Step through its end, then compute it here.
      </p>
      <RecordedFigure />
      <details>
        <summary>Where the NaN came from, operation by operation</summary>
        <pre class="text">{recordedRun.text}</pre>
      </details>
      <h2 id="run-here">Run it here</h2>
      <p>
        Ten times the learning rate brings the same end ten times sooner. Beside it runs the same experiment
        with one thing changed.
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
          names={['2.75e-3', '1e-3', '2.75e-4']}
          said={{ '2.75e-4': '2.75e-4: step 2750', '1e-3': '1e-3: step 757', '2.75e-3': '2.75e-3: step 275' }}
        />
        <button type="button" class="main" onClick={running ? stop : start}>
          {running ? 'Stop' : state.run.value ? 'Run again' : 'Run it here'}
        </button>
      </div>
      {state.run.value && <LiveRuns steps={shared.steps} />}
      <ShowCode code={program(shared, changed)} />
    </>
  )
}

/** Both runs as far as they have come, and how they ended. */
function LiveRuns({ steps }: { readonly steps: number }) {
  return (
    <>
      <p class="said" role="status">
        {verdict(naive, 'The naive run')} {verdict(beside, 'The run beside it')}
      </p>
      {naive.failure.value !== '' && <Failed what="The naive run failed" why={naive.failure.value} />}
      {beside.failure.value !== '' && <Failed what="The run beside it failed" why={beside.failure.value} />}
      <Chart
        {...{ xTitle: 'step', yTitle: 'loss', logY: true, height: 230 }}
        series={lines('loss')}
        marks={ends()}
        xRange={[0, steps]}
        says={`The loss of both runs by step. ${verdict(naive, 'The naive run')} ${verdict(beside, 'The run beside it')}`}
      >
        The loss of both, medians of ten points, on a logarithmic axis. Nothing in it announces the last step.
      </Chart>
      <div class="two">
        <Chart
          {...{ xTitle: 'step', yTitle: 'largest exponent', height: 210 }}
          series={lines('span')}
          marks={[...ends(), { y: overflow, word: 'exp overflows' }]}
          xRange={[0, steps]}
          says="The largest exponent that the factorized form takes, |A| times the running sum's span, by step of both runs."
        >
          |A| (cs_end − cs_0), the largest exponent of the factorized form. Above {overflow} its exponential
          is Inf.
        </Chart>
        <Chart
          {...{ xTitle: 'step', yTitle: 'cs_end', height: 210 }}
          series={lines('csEnd')}
          marks={ends()}
          xRange={[0, steps]}
          says="The running sum of the time steps at its end, by step of both runs."
        >
          The running sum at its end. The naive one does not change while every addition is rounded away, then
          jumps.
        </Chart>
      </div>
      <LastSteps naive={naive} beside={beside} />
      <SameBits />
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
