import { answered } from '../../parts/answered.js'
import { Chart } from '../../parts/chart.js'
import { Choice, Slider } from '../../parts/controls.js'
import { DataTable } from '../../parts/dataTable.js'
import type { SeriesColor } from '../../parts/drawChart.js'
import { Failed } from '../../parts/failed.js'
import { fixed } from '../../parts/fixed.js'
import { ShowCode } from '../../parts/showCode.js'
import {
  type Parametrization,
  parametrizations,
  type WidthsAnswer,
  type WidthsAsked,
} from './optimizersMessages.js'
import { state } from './optimizersState.js'

const kinds: Readonly<Record<Parametrization, { name: string; color: SeriesColor }>> = {
  standard: { name: 'one rate for all widths', color: 'red' },
  'inverse-sqrt': { name: 'rate times 1 / sqrt(width)', color: 'orange' },
  mup: { name: 'muP', color: 'blue' },
}

const { answer, failure, useQuestion } = answered<WidthsAsked, WidthsAnswer>('optimizers')

/** muP's coordinate check: how large the outputs of a network are by its width, after a few steps of Adam. */
export function WidthsFigure() {
  useQuestion(question)
  const shown = answer.value
  return (
    <section aria-labelledby="widths">
      <h2 id="widths">One learning rate for every width: muP's coordinate check</h2>
      <p>
        A network of two hidden layers takes a few steps of Adam at several widths. Where its outputs grow
        with the width, a rate that was found at one width is wrong at the next.
      </p>
      <div class="controls">
        <Choice label="widths from 32 to" value={state.width} names={['128', '256', '512']} />
        <Slider label="steps of Adam" value={state.adamSteps} min={1} max={10} />
      </div>
      {failure.value !== '' && <Failed what="This could not be trained" why={failure.value} />}
      {shown ? <Shown shown={shown} /> : <p class="said">Training at every width …</p>}
      <ShowCode code={program(question())} />
    </section>
  )
}

function question(): WidthsAsked {
  const most = Number(state.width.value)
  const widths = [32, 64, 128, 256, 512].filter((width) => width <= most)
  return { kind: 'widths', widths, steps: state.adamSteps.value }
}

function Shown({ shown: { asked, runs } }: { readonly shown: WidthsAnswer }) {
  const slopes = runs.map(
    ({ parametrization, slope }) => `${fixed(slope, 2)} with ${kinds[parametrization].name}`,
  )
  const sentence =
    runs.length === parametrizations.length
      ? `The outputs grow with the width to the power of ${slopes.join(', ')}.`
      : `Training at every width in three ways, ${runs.length} of them done …`
  return (
    <>
      <p class="said" role="status">
        {sentence}
      </p>
      <Chart
        {...{ xTitle: 'width', yTitle: 'mean |output|', logX: true, logY: true, height: 240 }}
        xTicks={asked.widths}
        says={`The mean magnitude of the outputs by the width, on logarithmic axes. ${sentence}`}
        series={runs.map(({ parametrization, outputs }) => ({
          ...{ name: kinds[parametrization].name, color: kinds[parametrization].color },
          ...{ dashed: parametrization !== 'standard', x: asked.widths, y: outputs },
        }))}
      >
        Both axes are logarithmic: a power of the width is a line. Level means that the width is not seen.
      </Chart>
      <DataTable
        name="Outputs by width"
        head={['parametrization', ...asked.widths.map((width) => `width ${width}`), 'slope']}
        rows={runs.map(({ parametrization, outputs, slope }) => [
          ...[kinds[parametrization].name, ...outputs.map((size) => size.toPrecision(4)), fixed(slope, 3)],
        ])}
      />
    </>
  )
}

function program({ widths, steps }: WidthsAsked): string {
  return `import { coordinateCheck } from 'tpu-toolkit/optimizer'

for (const parametrization of [${parametrizations.map((name) => `'${name}'`).join(', ')}] as const) {
  const { outputs, slope } = coordinateCheck({ parametrization, widths: [${widths.join(', ')}], steps: ${steps}, seeds: [0] })
  console.log(parametrization, outputs.map((size) => size.toPrecision(4)).join(' '), slope.toFixed(3))
}
`
}
