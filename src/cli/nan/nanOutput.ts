import {
  type AblationRow,
  experiments,
  type Step2750Record,
  type Step2750Result,
  step2750Options,
} from '../../experiments/step2750/index.js'
import { type Column, textTable } from '../../report/index.js'
import type { NanRequest } from './nanRequest.js'

/** What is missing of a record is not finite. */
const finite = (value: number | null): number => value ?? Number.NaN

const columns: readonly Column<Step2750Record>[] = [
  { key: 'step' },
  { key: 'loss', digits: 4, of: ({ loss }) => finite(loss) },
  { key: '|A|', digits: 4, of: ({ A }) => Math.abs(finite(A)) },
  { key: 'dt', digits: 6, of: ({ dt }) => finite(dt) },
  { key: 'cs_end', digits: 6, of: ({ csEnd }) => finite(csEnd) },
  { key: 'exponent span', digits: 5, of: ({ span }) => finite(span) },
]

/** What every output says of the learning rate. */
export function note({ options }: Pick<NanRequest, 'options'>): string {
  const { experiment, lr } = step2750Options(options)
  const { lr: calibrated } = experiments[experiment]
  if (experiment === 'earthquakes') return `The learning rate ${lr} is not calibrated to anything here.`
  const own = lr === calibrated ? '' : ` This run has ${lr}.`
  return `The learning rate ${calibrated} of experiment ${experiment} is calibrated: it puts the NaN of the naive form near step 2750.${own} What stays is lr times step.`
}

/** A run as lines for a reader: rows of the trace, the last steps, the explanation. */
export function runText(
  { options, records, explanation, stepsRun }: Step2750Result,
  trace: readonly Step2750Record[],
  request: NanRequest,
  width?: number,
): string {
  const { experiment, form, cumsum, dtype, length, lr, seed } = options
  const source = request.dataFile === null ? `seed ${seed}` : request.dataFile
  const last = records.slice(-3).filter(({ step }) => step > stepsRun - 3)
  const rows = new Map([...trace, ...last].map((record) => [record.step, record]))
  const ordered = [...rows.values()].sort((a, b) => a.step - b.step)
  return [
    `Step 2750: experiment ${experiment}, L = ${length}, ${dtype}, form ${form}, cumsum ${cumsum}, lr ${lr}, ${source}`,
    note(request),
    '',
    textTable(columns, ordered, { width }),
    '',
    explanation.text,
    '',
  ].join('\n')
}

/** A run as one JSON object. */
export function runJson(result: Step2750Result, request: NanRequest): string {
  const { options, keys, firstNonFiniteStep, stepsRun, nonFiniteSteps, loss, records, explanation } = result
  const bits = new Uint32Array(loss.buffer, loss.byteOffset, loss.length)
  const object = {
    options: { ...options, data: request.dataFile },
    note: note(request),
    keys,
    firstNonFiniteStep,
    stepsRun,
    nonFiniteSteps,
    loss: Array.from(loss, (value) => (Number.isFinite(value) ? value : null)),
    lossBits: Array.from(bits, (word, i) =>
      Number.isNaN(loss[i]) ? '7fc00000' : word.toString(16).padStart(8, '0'),
    ),
    records,
    explanation: explanation.text,
    evidence: { clocks: explanation.clocks, event: explanation.event },
  }
  return `${JSON.stringify(object)}\n`
}

const ablationColumns: readonly Column<AblationRow>[] = [
  { key: 'name', header: 'what is changed', align: 'left' },
  {
    ...{ key: 'first NaN', align: 'right' },
    of: ({ stepsRun, firstNonFiniteStep: step }) => (step === null ? `clean at ${stepsRun}` : String(step)),
  },
  { key: 'nonFiniteSteps', header: 'bad steps' },
  { key: 'medianLoss', header: 'median loss, last 100 finite', digits: 3 },
  { key: 'largestSpan', header: 'largest span', digits: 4 },
]

/** The table of ablations for a reader. */
export function ablationText(rows: readonly AblationRow[], request: NanRequest, width?: number): string {
  const table = textTable(ablationColumns, rows, { width })
  return [note(request), '', table, '', ...remarks(rows), ''].join('\n')
}

/** What the table hides at first sight, each from its own numbers. */
function remarks(rows: readonly AblationRow[]): string[] {
  const at = (name: string): AblationRow | undefined => rows.find((row) => row.name.startsWith(name))
  const lines: string[] = []
  const recipe = at('cumsum in float32')
  const kept = at('float32 kept')
  if (recipe?.medianLoss && kept?.medianLoss) {
    lines.push(
      `Casting the float32 sums back costs: the median loss of the recipe is ${(recipe.medianLoss / kept.medianLoss).toFixed(0)} times that of float32 kept through the exponent.`,
    )
  }
  const cpu = at('cumsum in rows of 16')
  const naive = at('naive: ')
  if (cpu && naive && cpu.firstNonFiniteStep === null && naive.firstNonFiniteStep !== null) {
    lines.push("The order of XLA's cumsum on a CPU hides the bug: tested there, the naive form looks clean.")
  }
  const clamp = at('exponent clamped')
  if (clamp && naive && clamp.firstNonFiniteStep === null && clamp.medianLoss !== null && kept?.medianLoss) {
    lines.push(
      `The clamp is silent: no NaN, and a median loss ${(clamp.medianLoss / kept.medianLoss).toFixed(0)} times that of float32 kept through the exponent.`,
    )
  }
  const zeroed = at('naive, then')
  if (zeroed && zeroed.firstNonFiniteStep !== null) {
    lines.push(
      `NaN gradients to 0: ${zeroed.nonFiniteSteps} of the ${zeroed.stepsRun - zeroed.firstNonFiniteStep + 1} steps from ${zeroed.firstNonFiniteStep} on are not finite; zeroing cures a bad batch, not a bad state.`,
    )
  }
  return lines
}

/** The table as one JSON object. */
export function ablationJson(rows: readonly AblationRow[], request: NanRequest): string {
  return `${JSON.stringify({ options: { ...request.options, data: request.dataFile }, note: note(request), rows })}\n`
}
