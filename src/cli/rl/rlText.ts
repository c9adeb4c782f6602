import { type Column, type Row, textTable } from '../../report/index.js'
import type { RlRow } from './rlRun.js'
import type { RlBeside, RlFigures } from './rlTask.js'

/** What every output of the command says. */
export const saysNothingOfProfit =
  'This shows numerics: determinism, leakage and rounding. It says nothing about profit.'

/** The mean and the spread of a figure over the seeds. */
export interface RlStatistics {
  readonly figure: string
  readonly mean: number
  /** Divided by n - 1; NaN for one seed. */
  readonly std: number
  readonly least: number
  readonly greatest: number
}

/** Statistics of each figure over the seeds. */
export function statisticsOf(rows: readonly RlRow[]): RlStatistics[] {
  return Object.keys(rows[0]?.figures ?? {}).map((figure) => {
    const x = rows.map((row) => row.figures[figure]!)
    const mean = x.reduce((a, b) => a + b, 0) / x.length
    const std = Math.sqrt(x.reduce((a, b) => a + (b - mean) ** 2, 0) / (x.length - 1))
    return { figure, mean, std, least: Math.min(...x), greatest: Math.max(...x) }
  })
}

type Peers = readonly RlBeside[]

/** The rows of the table: every seed, and what they are compared with. */
export function tableOf(rows: readonly RlRow[], beside: Peers): { columns: Column[]; body: Row[] } {
  const names = Object.keys(rows[0]?.figures ?? {})
  const columns = [
    { key: 'who', header: 'policy' },
    { key: 'trained', header: 'return in training' },
    ...names.map((key) => ({ key, digits: 4 })),
  ]
  const finite = (x: number | undefined): number | null => (x !== undefined && Number.isFinite(x) ? x : null)
  const figures = (of: RlFigures): Row => Object.fromEntries(names.map((name) => [name, finite(of[name])]))
  const body: Row[] = [
    ...rows.map((row) => ({
      who: `seed ${row.seed}`,
      trained: finite(row.trained),
      ...figures(row.figures),
    })),
    ...beside.map((each) => ({ who: each.name, trained: null, ...figures(each.figures) })),
  ]
  return { columns, body }
}

/** What the seeds came to beside the first baseline, in a sentence. */
export function rlFinding(rows: readonly RlRow[], beside: Peers): string {
  const [first] = statisticsOf(rows)
  if (!first) return 'No seed is done.'
  const { figure, mean, least, greatest } = first
  const seeds =
    rows.length === 1
      ? `One seed has ${figure} ${mean.toPrecision(4)}`
      : `${rows.length} seeds have ${figure} ${mean.toPrecision(4)} in the mean, ${least.toPrecision(4)} to ${greatest.toPrecision(4)}`
  const peers = beside.flatMap(({ name, figures }) => {
    const own = figures[figure]
    return own !== undefined && Number.isFinite(own) ? [`${name} ${own.toPrecision(4)}`] : []
  })
  return `${seeds}${peers.length > 0 ? `; beside them ${peers.join(', ')}` : ''}.`
}

/** The table and the statistics, for a terminal. */
export function rlText(rows: readonly RlRow[], beside: Peers, width: number | undefined): string {
  const { columns, body } = tableOf(rows, beside)
  const spread = (rows.length < 2 ? [] : statisticsOf(rows)).map(
    ({ figure, mean, std, least, greatest }) =>
      `${figure}: mean ${mean.toPrecision(4)}, deviation ${std.toPrecision(3)} over ${rows.length} seeds, ${least.toPrecision(4)} to ${greatest.toPrecision(4)}.`,
  )
  const table = textTable(columns, body, width === undefined ? {} : { width })
  return `${table}\n${spread.join('\n')}\n${saysNothingOfProfit}\n`
}
