import type { ViewPlot } from './resultsMessages.js'

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>

/** A report that is recognised by what it holds. */
export interface ReportKind {
  readonly kind: string
  readonly about: string
  /** Fields that all reports of the kind have, and no other kind has together. */
  readonly fields: readonly string[]
  readonly is?: (json: Json) => boolean
  /** The columns that are drawn first, by the table's title. */
  readonly plots?: Readonly<Record<string, ViewPlot>>
}

const byLength: ViewPlot = { x: 'length', y: 'maxAbs', by: 'way', logX: true, logY: true }

/** The reports of the commands. The first that fits counts. */
export const reportKinds: readonly ReportKind[] = [
  {
    kind: 'drift',
    about: 'The drift bench: operations in low precision, naive beside stable.',
    fields: ['benchmark', 'rows'],
    is: ({ benchmark }) => benchmark === 'drift',
    plots: { rows: byLength },
  },
  {
    kind: 'kernels',
    about: 'Kernels in low precision, form beside form.',
    fields: ['benchmark', 'rows'],
    is: ({ benchmark }) => benchmark === 'kernels',
    plots: { rows: { ...byLength, y: 'normRel' } },
  },
  {
    kind: 'formats',
    about: 'What formats and block schemes make of numbers.',
    fields: ['benchmark', 'rows'],
    is: ({ benchmark }) => benchmark === 'formats',
    plots: { rows: { x: 'bits', y: 'sqnr', by: 'way' } },
  },
  {
    kind: 'nan',
    about: 'A run of the step-2750 experiment.',
    fields: ['firstNonFiniteStep', 'loss', 'records'],
    plots: { records: { x: 'step', y: 'csEnd' } },
  },
  { kind: 'gallery', about: 'The gallery of low-precision failures.', fields: ['failures'] },
  {
    kind: 'doctor',
    about: 'What the precision doctor found.',
    fields: ['shadow', 'findings'],
    plots: { 'shadow.operations': { x: 'step', y: 'introduced.mean' } },
  },
  {
    kind: 'quantize',
    about: 'What formats make of the tensors of a file.',
    fields: ['tensors', 'totals', 'magnitudes'],
    plots: { totals: { x: 'bits', y: 'sqnr' }, magnitudes: { x: 'x', y: 'y' } },
  },
  { kind: 'plan', about: 'A plan of a model on a slice.', fields: ['model', 'memory', 'step', 'sharding'] },
  {
    kind: 'roofline',
    about: 'What bounds each operation of a model on a chip.',
    fields: ['chip', 'critical', 'operations'],
    plots: { operations: { x: 'intensity', y: 'seconds', by: 'boundBy', logX: true, logY: true } },
  },
  { kind: 'flags', about: 'Flags of libtpu and XLA.', fields: ['environment', 'flags'] },
  {
    kind: 'diagnose',
    about: 'What is wrong with a run, from what it left in its folder.',
    fields: ['problems', 'looked', 'notRecorded'],
  },
  { kind: 'schedule', about: 'A learning-rate schedule.', fields: ['schedule', 'points'] },
  { kind: 'rl', about: 'Agents trained with PPO.', fields: ['request', 'facts', 'rows'] },
  { kind: 'inspect', about: 'A number in every format.', fields: ['value', 'formats'] },
  { kind: 'env', about: 'What this machine has for the toolkit.', fields: ['parts'] },
  { kind: 'chips', about: 'Generations of TPUs.', fields: ['chips', 'sources'] },
  { kind: 'vq', about: 'Vector quantisation of the tensors of a file.', fields: ['file', 'tensors'] },
  { kind: 'audit', about: 'How the sizes of a model fit the matrix units.', fields: ['findings', 'config'] },
  {
    kind: 'metrics',
    about: 'The samples of a run, as jsonLines writes them.',
    fields: ['samples'],
    plots: { samples: { x: 'step', y: 'values.loss' } },
  },
  {
    kind: 'trace',
    about: 'A trace of spans of time, as Perfetto and chrome://tracing read it.',
    fields: ['traceEvents'],
  },
  { kind: 'sweep', about: 'Runs over a grid of options.', fields: ['rows'], is: hasRuns },
]

/** Rows of the step-2750 experiment, or of another that a sweep ran. */
function hasRuns({ file, rows }: Json): boolean {
  const first: unknown = Array.isArray(rows) ? rows[0] : undefined
  const ofOurs = typeof first === 'object' && first !== null && ('stepsRun' in first || 'params' in first)
  return ofOurs || file === 'tpu-toolkit sweep'
}

/** The kind of a report, undefined where it is none that is known. */
export function kindOf(json: Json): ReportKind | undefined {
  return reportKinds.find(({ fields, is }) => fields.every((field) => field in json) && (is?.(json) ?? true))
}
