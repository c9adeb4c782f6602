import { readable } from '../../base/text/index.js'
import type { SweepResult, TrialRow } from '../../experiments/sweep/index.js'
import { type Cell, type Column, type Row, textTable } from '../../report/index.js'
import type { SweepRequest } from './sweepRequest.js'

/** Rows that a screen is shown; the page has all of them. */
const most = 20

/** The parameters in which the rows differ. */
export function variedParams(rows: readonly TrialRow[]): string[] {
  const names = [...new Set(rows.flatMap(({ trial }) => Object.keys(trial.params)))]
  return names.filter((name) => new Set(rows.map(({ trial }) => trial.params[name])).size > 1)
}

/** The parameters as they are written: `lr 0.1, width 32`. */
export function paramsText({ trial }: TrialRow, names: readonly string[]): string {
  return names.map((name) => `${name} ${trial.params[name]}`).join(', ') || 'no parameter varied'
}

/** The rows of a table: the parameters that vary, how far each ran, and what of its row is one value. */
export function trialTable(
  rows: readonly TrialRow[],
  { metric }: SweepRequest['sweep'],
): { columns: Column[]; body: Row[] } {
  const params = variedParams(rows)
  const fields = [...new Set(rows.flatMap(({ row }) => Object.keys(row).filter((name) => isCell(row[name]))))]
  // The metric stands behind the parameters.
  const order = fields.sort((a, b) => Number(b === metric) - Number(a === metric))
  const staged = rows.some(({ trial }) => trial.steps !== undefined)
  const body = rows.map(({ trial, row }) => ({
    ...Object.fromEntries(params.map((name) => [`params.${name}`, shownParam(trial.params[name])])),
    ...(staged ? { 'to step': trial.steps ?? null } : {}),
    ...Object.fromEntries(fields.map((name) => [`row.${name}`, isCell(row[name]) ? row[name] : null])),
  }))
  const columns: Column[] = [
    ...params.map((name) => ({ key: `params.${name}`, header: name, digits: 6 })),
    ...(staged ? [{ key: 'to step', digits: 12 }] : []),
    ...order.map((name) => ({ key: `row.${name}`, header: name, digits: 6 })),
  ]
  return { columns, body }
}

function isCell(value: unknown): value is Cell {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

function shownParam(value: Cell): Cell {
  return typeof value === 'boolean' ? String(value) : value
}

/** The best row in a line; what is looked at, and that nothing counts, where nothing does. */
export function bestText(
  { rows, best }: SweepResult,
  { metric, goal = 'min' }: SweepRequest['sweep'],
): string {
  if (metric === undefined) return ''
  if (best === null) return `No run has a finite ${metric}.`
  const value = best.row[metric]
  const what =
    typeof value === 'number'
      ? `The ${goal === 'min' ? 'least' : 'greatest'} ${metric}, ${readable(value, 6)}`
      : `The first without a finite ${metric}`
  const far = best.trial.steps === undefined ? '' : `, run to step ${best.trial.steps}`
  return `${what}: ${paramsText(best, variedParams(rows))}${far}.`
}

/** The results as a text table, the best first, with the best in words. */
export function searchText(request: SweepRequest, result: SweepResult, width?: number): string {
  const { ranked } = result
  const cut = request.sweep.metric !== undefined && ranked.length > most
  const { columns, body } = trialTable(ranked, request.sweep)
  const table = textTable(columns, cut ? body.slice(0, most) : body, { width })
  const rest = cut ? `\nThe best ${most} of ${ranked.length}; the page has all.` : ''
  return [`${table}${rest}`, bestText(result, request.sweep)].filter((part) => part !== '').join('\n\n')
}

/** The results as one object. */
export function searchJson(
  request: SweepRequest,
  { rows, best, rungs }: SweepResult,
): Readonly<Record<string, unknown>> {
  const { search, metric = null, goal = 'min' } = request.sweep
  const plain = ({ trial: { params, steps }, row }: TrialRow) => ({
    params,
    ...(steps === undefined ? {} : { steps }),
    row,
  })
  return {
    experiment: request.name,
    search: search?.name ?? 'grid',
    metric,
    ...(metric === null ? {} : { goal }),
    ...(rungs.length === 0 ? {} : { rungs }),
    best: best === null ? null : plain(best),
    rows: rows.map(plain),
  }
}
