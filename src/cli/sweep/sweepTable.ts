import { experiments, type Step2750Run, type SweepRow } from '../../experiments/step2750/index.js'
import { type Column, type Row, textTable } from '../../report/index.js'

/** The options in which the rows differ, in the order of the grid. */
export function varied(rows: readonly SweepRow[]): (keyof Step2750Run)[] {
  const options = Object.keys(rows[0]?.options ?? {}) as (keyof Step2750Run)[]
  return options.filter((name) => new Set(rows.map((row) => row.options[name])).size > 1)
}

/** An option's value as it is written on the command line. */
export function written(value: Step2750Run[keyof Step2750Run]): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return value === null ? 'none' : String(value)
}

/** The rows of a table: the options that vary, and what came of each run. */
export function tableRows(rows: readonly SweepRow[]): { columns: Column[]; body: Row[] } {
  const names = varied(rows)
  const body = rows.map((row) => ({
    ...Object.fromEntries(names.map((name) => [name, written(row.options[name])])),
    nan: row.firstNonFiniteStep,
    product: row.firstNonFiniteStep === null ? null : row.firstNonFiniteStep * row.options.lr,
    loss: row.medianLoss,
    span: row.largestSpan,
  }))
  const columns: Column[] = [
    ...names.map((name) => ({ key: name, align: 'right' as const })),
    { key: 'nan', header: 'first NaN step', digits: 8 },
    { key: 'product', header: 'lr x step' },
    { key: 'loss', header: 'median loss' },
    { key: 'span', header: 'largest span', digits: 4 },
  ]
  return { columns, body }
}

/** What every output says of the learning rate. */
export const calibrated: string = `The default learning rates, ${experiments.gap.lr} of experiment gap and ${experiments.uniform.lr} of uniform, are calibrated: they put the NaN of the naive form near step 2750.`

/** The results as a text table. A dash is a run that stayed finite. */
export function sweepTable(rows: readonly SweepRow[], width?: number): string {
  const { columns, body } = tableRows(rows)
  return `${textTable(columns, body, { width })}\n\n${calibrated}`
}
