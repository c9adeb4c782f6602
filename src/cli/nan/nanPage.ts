import { readable } from '../../base/text/index.js'
import type { Step2750Result } from '../../experiments/step2750/index.js'
import {
  type Column,
  escapeHtml,
  type Figure,
  htmlPage,
  htmlTable,
  lineFigure,
  type PlotMarker,
  type PlotSeries,
  type Row,
  type Section,
  type SeriesColor,
} from '../../report/index.js'
import type { CureRun } from './nanCures.js'

/** The story of a run as a page: its loss, where it parts from its cures, the bits, the cause, the cures side by side. */
export function nanPage(run: Step2750Result, cures: readonly CureRun[], note: string): string {
  const { options, stepsRun, firstNonFiniteStep } = run
  const { experiment, form, cumsum, dtype, length, lr } = options
  return htmlPage({
    title:
      firstNonFiniteStep === null
        ? `${readable(stepsRun)} steps without a NaN`
        : `The NaN of step ${readable(firstNonFiniteStep)}`,
    lead: 'A state-space layer of five scalars is trained until it breaks; every number below is from the run itself.',
    facts: { experiment, form, cumsum, dtype, length: String(length), 'learning rate': String(lr) },
    sections: [loss(run, cures), parting(run, cures), bits(run), cause(run), sideBySide(run, cures)],
    foot: `Written by tpu-toolkit nan. ${note}`,
  })
}

function loss(run: Step2750Result, cures: readonly CureRun[]): Section {
  const { firstNonFiniteStep, stepsRun } = run
  const finding =
    firstNonFiniteStep === null
      ? `All ${readable(stepsRun)} losses and gradients are finite.`
      : `${readable(firstNonFiniteStep - 1)} steps with a finite loss and finite gradients; step ${readable(firstNonFiniteStep)} has none.`
  const markers =
    firstNonFiniteStep === null ? [] : [{ x: firstNonFiniteStep, label: `NaN at ${firstNonFiniteStep}` }]
  const kept = cures.find(({ name }) => name === 'float32 kept')
  const series: PlotSeries[] = [
    { name: 'this run', color: 'red', points: medians(run.loss), dots: false },
    ...(kept
      ? [{ name: kept.name, color: 'blue' as const, points: medians(kept.result.loss), dots: false }]
      : []),
  ]
  const caption = 'Each point is the median of the finite losses of a stretch of steps.'
  const figures = [lossFigure(series, 'The loss, step by step', caption, markers)]
  return { id: 'loss', title: 'The loss', finding, figures }
}

/** Red is the run that breaks, on every page; "float32 kept" is blue, as beside it. */
const cureColors: readonly SeriesColor[] = ['orange', 'blue', 'green', 'purple']

/** Losses by step. */
function lossFigure(
  series: readonly PlotSeries[],
  title: string,
  caption: string,
  markers: readonly PlotMarker[] = [],
): Figure {
  const axes = { x: { label: 'step' }, y: { label: 'loss', scale: 'log10' } } as const
  return lineFigure(series, { title, ...axes, markers, width: 760, height: 340, caption })
}

/** At most 250 medians over equal stretches; a stretch without a finite loss has none. */
function medians(loss: Float32Array): { x: number; y: number }[] {
  const stretch = Math.max(1, Math.ceil(loss.length / 250))
  return Array.from({ length: Math.ceil(loss.length / stretch) }, (_, k) => {
    const values = [...loss.subarray(k * stretch, (k + 1) * stretch)]
      .filter(Number.isFinite)
      .sort((a, b) => a - b)
    return { x: k * stretch + Math.ceil(stretch / 2), y: values[values.length >> 1] ?? Number.NaN }
  })
}

function parting(run: Step2750Result, cures: readonly CureRun[]): Section {
  const rows = cures.map(({ name, result }): Row => {
    const step = firstDifference(run.loss, result.loss)
    if (step === null) return { name, step: null }
    return {
      name,
      step,
      ours: run.loss[step - 1],
      oursBits: hex(run.loss[step - 1]!),
      theirs: result.loss[step - 1],
      theirsBits: hex(result.loss[step - 1]!),
    }
  })
  const earliest = rows.flatMap(({ step }) => (typeof step === 'number' ? [step] : []))
  const finding =
    earliest.length === 0
      ? 'No cure changes a bit of any loss.'
      : `The losses part in step ${readable(Math.min(...earliest))}${before(run, Math.min(...earliest))}.`
  const columns: Column[] = [
    { key: 'name', header: 'beside' },
    { key: 'step', header: 'first step that differs' },
    { key: 'ours', header: 'loss of this run', digits: 8 },
    { key: 'oursBits', header: 'its bits', align: 'right' },
    { key: 'theirs', header: 'loss of the other', digits: 8 },
    { key: 'theirsBits', header: 'its bits', align: 'right' },
  ]
  return { id: 'differences', title: 'The first differences', finding, html: htmlTable(columns, rows) }
}

function before({ firstNonFiniteStep }: Step2750Result, step: number): string {
  if (firstNonFiniteStep === null || firstNonFiniteStep <= step) return ''
  return `, ${readable(firstNonFiniteStep - step)} steps before the one that is not finite`
}

/** The first step, from 1, whose losses differ in a bit; null where none does as far as both go. */
function firstDifference(a: Float32Array, b: Float32Array): number | null {
  const most = Math.min(a.length, b.length)
  for (let i = 0; i < most; i++) if (!Object.is(a[i], b[i])) return i + 1
  return null
}

function hex(value: number): string {
  if (Number.isNaN(value)) return '7fc00000'
  return new Uint32Array(Float32Array.of(value).buffer)[0]!.toString(16).padStart(8, '0')
}

function bits({ records, keys, firstNonFiniteStep, stepsRun }: Step2750Result): Section {
  const end = firstNonFiniteStep ?? stepsRun
  const near = records.filter(({ step }) => step > end - 3 && step <= end + 1)
  const pair = (key: string, header: string): Column[] => [
    { key, header, digits: 7 },
    { key: `${key}Bits`, header: 'bits', align: 'right' },
  ]
  const columns: Column[] = [
    { key: 'step' },
    ...pair('loss', 'loss'),
    ...pair('dt', 'dt'),
    ...pair('csEnd', 'cs_end'),
    ...pair('A', 'A'),
    ...pair('norm', 'gradient norm'),
  ]
  const parameters = near.flatMap(({ step, params, paramsBits, grads, gradsBits }) =>
    keys.map(
      (name, i): Row => ({
        step,
        name,
        ...{ value: params[i] ?? null, valueBits: paramsBits[i] ?? '' },
        ...{ gradient: grads[i] ?? null, gradientBits: gradsBits[i] ?? '' },
      }),
    ),
  )
  return {
    id: 'bits',
    title: 'The bits',
    paragraphs: [
      `The last steps up to ${readable(end)}. Bits are float32 codes in hexadecimal; a dash is a number that is not finite.`,
    ],
    html: htmlTable(columns, near),
    details: [
      {
        summary: 'Parameters before these steps, and their gradients',
        html: htmlTable(
          [
            { key: 'step' },
            { key: 'name', header: 'parameter' },
            ...pair('value', 'value'),
            ...pair('gradient', 'gradient'),
          ],
          parameters,
        ),
      },
    ],
  }
}

function cause({ explanation }: Step2750Result): Section {
  const [summary = '', ...story] = explanation.text.split('\n\n')
  const [finding = '', ...rest] = summary.split('\n')
  const columns: Column[] = [
    { key: 'step' },
    { key: 'csEnd', header: 'the sums end at', digits: 7 },
    { key: 'exact', header: 'exactly', digits: 7 },
    { key: 'additions' },
    { key: 'lost', header: 'that change nothing' },
    { key: 'A', digits: 6 },
    { key: 'span', header: '|A| (cs_end - cs_0)', digits: 6 },
  ]
  return {
    id: 'cause',
    title: 'The cause',
    finding,
    paragraphs: [...rest, ...story.slice(0, 1).flatMap((text) => text.split('\n')[0] ?? [])],
    ...(explanation.clocks.length === 0 ? {} : { html: htmlTable(columns, explanation.clocks) }),
    ...(story.length === 0
      ? {}
      : {
          details: [
            {
              summary: 'From the sums to the NaN, operation by operation',
              html: `<pre>${escapeHtml(story.join('\n\n'))}</pre>`,
            },
          ],
        }),
  }
}

function sideBySide(run: Step2750Result, cures: readonly CureRun[]): Section {
  const rows = [{ name: 'this run', result: run }, ...cures].map(({ name, result }): Row => {
    const finite = [...result.loss]
      .filter(Number.isFinite)
      .slice(-100)
      .sort((a, b) => a - b)
    const spans = result.records.flatMap(({ span }) => span ?? [])
    return {
      name,
      nan:
        result.firstNonFiniteStep === null
          ? `none in ${readable(result.stepsRun)}`
          : readable(result.firstNonFiniteStep),
      loss: finite[finite.length >> 1] ?? null,
      span: spans.length === 0 ? null : Math.max(...spans),
    }
  })
  const clean = rows.filter(({ nan }) => String(nan).startsWith('none'))
  const best = [...clean].sort((a, b) => Number(a['loss']) - Number(b['loss']))[0]
  const series = cures.map(({ name, result }, i) => {
    return { name, color: cureColors[i % cureColors.length]!, points: medians(result.loss), dots: false }
  })
  const caption = 'Medians as above; finite is not yet right: compare where the losses end.'
  return {
    id: 'cures',
    title: 'The cures side by side',
    finding: best
      ? `${clean.length} of ${rows.length} stay finite; the least loss at the end is that of "${best['name']}", ${readable(Number(best['loss']))}.`
      : 'None of these stays finite.',
    figures: [lossFigure(series, 'The losses with each cure', caption)],
    html: htmlTable(
      [
        { key: 'name', header: 'what is changed' },
        { key: 'nan', header: 'first step that is not finite', align: 'right' },
        { key: 'loss', header: 'median of the last 100 losses' },
        { key: 'span', header: 'largest exponent', digits: 4 },
      ],
      rows,
    ),
  }
}
