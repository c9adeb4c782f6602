import { answered } from '../../parts/answered.js'
import { shortNumber } from '../../parts/axisTicks.js'
import { Chart } from '../../parts/chart.js'
import { Choice, NumberField, Slider } from '../../parts/controls.js'
import { DataTable } from '../../parts/dataTable.js'
import type { SeriesColor } from '../../parts/drawChart.js'
import { Failed } from '../../parts/failed.js'
import { ShowCode } from '../../parts/showCode.js'
import { type ErrorsAnswer, type ErrorsAsked, type FormRun, operandDTypes } from './attentionMessages.js'
import { errorTokens, state } from './attentionState.js'
import { errorsCode } from './errorsCode.js'
import { maskChoice } from './maskChoice.js'

const looks: Readonly<Record<FormRun['form'], { color: SeriesColor; dashed?: boolean }>> = {
  flash2: { color: 'blue' },
  splash: { color: 'green' },
  pallas: { color: 'orange', dashed: true },
  bfloat16: { color: 'red' },
  'whole, float32 inside': { color: 'grey', dashed: true },
  'whole, op by op': { color: 'pink', dashed: true },
}

const { answer, failure, useQuestion } = answered<ErrorsAsked, ErrorsAnswer>('attention')

/** The error of the kernels by the size of their blocks, against whole rows in float64. */
export function ErrorsFigure() {
  useQuestion(question)
  const shown = answer.value
  return (
    <section aria-labelledby="errors-of-kernels">
      <h2 id="errors-of-kernels">What the blocks cost in bits</h2>
      <p>
        The same queries, keys and values under the mask above, as four kernels round: FlashAttention-2, JAX's
        splash and pallas kernels, and one that keeps everything in bfloat16.
      </p>
      <div class="controls">
        <Choice label="tokens" value={state.rows} names={errorTokens} />
        <Choice label="queries, keys and values in" value={state.dtype} names={operandDTypes} />
        <Slider label="logits times" value={state.sharp} min={0} max={5} step={0.5} said={factorSaid} />
        <NumberField label="seed" value={state.seed} min={0} max={1e6} step={1} />
      </div>
      {failure.value !== '' && <Failed what="This could not be computed" why={failure.value} />}
      {shown ? <Shown shown={shown} /> : <p class="said">Computing every form at every size …</p>}
      <ErrorsProgram />
    </section>
  )
}

/** Undefined where there is no such mask, which the figure above says. */
function question(): ErrorsAsked | undefined {
  const { rows, dtype, sharp, seed } = state
  const tokens = Number(rows.value)
  try {
    const { mask } = maskChoice(tokens)
    return { kind: 'errors', mask, tokens, dtype: dtype.value, factor: 2 ** sharp.value, seed: seed.value }
  } catch {
    return undefined
  }
}

function ErrorsProgram() {
  const asked = question()
  return asked ? <ShowCode code={errorsCode(asked, maskChoice(asked.tokens).code)} /> : null
}

function Shown({ shown: { asked, runs } }: { readonly shown: ErrorsAnswer }) {
  const forms = asked.dtype === 'bfloat16' ? 6 : asked.dtype === 'float16' ? 5 : 4
  const sizes = runs[0]!.errors.map(({ size }) => size)
  const told = ({ form, errors }: FormRun): string =>
    errors.length === 1
      ? `${short(errors[0]!.rms)} ${form}`
      : `${short(errors[0]!.rms)} to ${short(errors.at(-1)!.rms)} in ${form}`
  // Of those that are much alike the first.
  const parts = runs.filter(({ form }) => form !== 'splash' && form !== 'pallas').map(told)
  const sentence =
    runs.length < forms
      ? `Computing, ${runs.length} of ${forms} forms done …`
      : `From blocks of ${sizes[0]} to blocks of ${sizes.at(-1)} the rms error is ${parts.join(', ')}.`
  return (
    <>
      <p class="said" role="status">
        {sentence}
      </p>
      <Chart
        {...{ xTitle: 'rows and columns of a block', yTitle: 'rms error', logX: true, logY: true }}
        {...{ height: 280, xTicks: sizes }}
        says={`The rms error of each form by the size of its blocks. ${sentence}`}
        series={runs.map(({ form, errors }) => ({
          ...{ name: form, ...looks[form], x: sizes },
          y: errors.length === 1 ? sizes.map(() => errors[0]!.rms) : errors.map(({ rms }) => rms),
        }))}
      >
        Against whole rows in float64. With sums of float32 the size hardly matters; in bfloat16 every block
        costs bits, and whole rows added up op by op cost most.
      </Chart>
      <details>
        <summary>Every error, and its bound</summary>
        <DataTable
          name="Errors by form and size"
          head={['form', 'block', 'rms error', 'largest error', 'its bound']}
          rows={runs.flatMap(({ form, errors }) =>
            errors.map(({ size, rms, most, bound }) => [
              ...[form, errors.length === 1 ? 'whole rows' : String(size), short(rms), short(most)],
              Number.isNaN(bound) ? 'none' : short(bound),
            ]),
          )}
        />
      </details>
    </>
  )
}

const factorSaid = (power: number): string => String(Number((2 ** power).toPrecision(3)))
const short = (value: number): string => shortNumber(Number(value.toPrecision(3)))
