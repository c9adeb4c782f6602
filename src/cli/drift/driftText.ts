import { readable, sparkline } from '../../base/text/index.js'
import type { DriftResults, Measurement, OpResults } from '../../experiments/drift/index.js'
import { type Column, type Row, sayingColumns, textTable } from '../../report/index.js'

const columns: readonly Column[] = [
  { key: 'input' },
  { key: 'variant', header: 'case' },
  { key: 'way' },
  { key: 'length' },
  { key: 'maxAbs', header: 'max abs' },
  { key: 'maxRel', header: 'max rel' },
  { key: 'rms' },
  { key: 'normRel', header: 'norm rel' },
  { key: 'sqnr', header: 'SQNR dB', align: 'right' },
  { key: 'maxUlps', header: 'max ulps', align: 'right' },
  { key: 'stallIndex', header: 'stall at', align: 'right' },
  { key: 'bound', align: 'right' },
  { key: 'ofBound', header: 'of bound', align: 'right', digits: 2 },
  {
    key: 'vsStable',
    header: 'vs stable',
    align: 'right',
    show: (v) => (typeof v === 'number' ? `x ${readable(v)}` : '-'),
  },
  { key: 'effectiveRank', header: 'eff. rank', align: 'right' },
  {
    key: 'stallShare',
    header: 'stalled',
    align: 'right',
    show: (v) => (typeof v === 'number' ? `${readable(100 * v, 3)} %` : '-'),
  },
  { key: 'growth', header: 'growth', align: 'left' },
]

const growthNames = { maxAbs: 'max abs', maxRel: 'max rel', maxUlps: 'max ulps' } as const

/** The columns that say something: not a case where there are none, the length or the growth but not both. */
export function tableColumns(rows: readonly Row[]): Column[] {
  return sayingColumns(columns, rows)
}

/** The rows of one table: of every length where some were asked for, else of the longest with the growth up to it. */
export function tableRows(results: OpResults, everyLength: boolean): Row[] {
  if (everyLength) return results.rows.map((row) => ({ ...row }))
  const longest = results.lengths.at(-1)
  return results.rows
    .filter((row) => row.length === longest)
    .map(({ length: _, ...row }) => ({
      ...row,
      growth: sparkline(
        series(results.rows, row).map((r) => r.maxAbs),
        { scale: 'log' },
      ),
    }))
}

/** The measurements of one way over the lengths. */
function series(
  rows: readonly Measurement[],
  of: Pick<Measurement, 'variant' | 'input' | 'way'>,
): Measurement[] {
  return rows.filter((row) => row.variant === of.variant && row.input === of.input && row.way === of.way)
}

/** What a run prints on a terminal: of each operation what was found. */
export function findingsText({ ops, dtype, seed }: DriftResults): string {
  const parts = ops.map(({ operation, lengths, finding }) => {
    const at = `${operation.lengthName} ${lengths.length > 1 ? 'up to ' : ''}${readable(lengths.at(-1))}`
    return `${operation.title}, ${at}\n${finding}\n`
  })
  const count = ops.reduce((sum, { rows }) => sum + rows.length, 0)
  return `Drift in ${dtype} from the exact result, seed ${seed}, ${readable(count)} measurements\n\n${parts.join('\n')}\n--all prints the tables; the page and the files have every measurement.\n`
}

/** Everything a run measured, as tables, operation after operation. */
export function printed(results: DriftResults, everyLength: boolean, width?: number): string {
  const parts = results.ops.map((op) => {
    const { operation, lengths } = op
    const rows = tableRows(op, everyLength)
    const at =
      everyLength || lengths.length === 1
        ? `${operation.lengthName} ${lengths.map((n) => readable(n)).join(', ')}`
        : `at ${operation.lengthName} ${readable(lengths.at(-1))}; growth: ${growthNames[operation.growth]} from ${operation.lengthName} ${readable(lengths[0])} on`
    const shape = rows.every((row) => row['variant'] === rows[0]?.['variant']) ? 'input' : 'variant'
    const table = textTable(tableColumns(rows), rows, { group: shape, width })
    return `${operation.title} in ${results.dtype}, ${at}\n${op.finding}\n\n${table}\n`
  })
  const inputs = results.inputs.map(({ name, about }) => `  ${name}: ${about}`)
  return `${parts.join('\n')}\nInputs (seed ${results.seed}), each rounded to ${results.dtype} first. Errors are distances from float64 with sums in two words, on the\nrounded inputs; an ulp is one step of ${results.dtype}:\n${inputs.join('\n')}\n`
}
