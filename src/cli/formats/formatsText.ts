import { readable } from '../../base/text/index.js'
import { type Cell, type Column, type Row, sayingColumns, textTable } from '../../report/index.js'
import { percent, signedPercent } from './finding.js'
import type { FormatsResults, SetResults } from './formatsResults.js'
import type { Measurement } from './measure.js'

const share = (value: Cell): string => (typeof value === 'number' ? percent(value) : '-')
const change = (value: Cell): string => (typeof value === 'number' ? signedPercent(value) : '-')

/** SQNR in a table: one decimal, since a tenth of a dB is about what draws differ by. */
export function decibels(value: Cell): string {
  return typeof value === 'number' && Number.isFinite(value)
    ? value.toFixed(1)
    : readable(value as number | null)
}

const columns: readonly Column[] = [
  { key: 'tensor' },
  { key: 'scheme', header: 'format or scheme' },
  { key: 'way' },
  { key: 'bits', header: 'bits a value' },
  { key: 'sqnr', header: 'SQNR dB', align: 'right', show: decibels },
  { key: 'clipped', align: 'right', show: share },
  { key: 'underflow', align: 'right', show: share },
  { key: 'notFinite', header: 'Inf or NaN', align: 'right', show: share },
  { key: 'meanError', header: 'mean error', align: 'right', show: change },
  { key: 'meanAbsError', header: 'mean |error|', align: 'right', show: share },
  { key: 'loss', align: 'right', digits: 4 },
  { key: 'lossChange', header: 'loss vs float32', align: 'right', show: change },
]

/** The columns that say something. */
export function tableColumns(rows: readonly Row[]): Column[] {
  return sayingColumns(columns, rows)
}

/** Measurements as rows of a table; `loss` is that of the model as it is. */
export function tableRows(measurements: readonly Measurement[], loss: number | undefined): Row[] {
  return measurements.map((row) => ({
    ...row,
    notFinite: row.notFinite === 0 ? null : row.notFinite,
    lossChange: row.loss === null || loss === undefined ? null : row.loss / loss - 1,
  }))
}

/** What the columns mean. */
export const reading =
  'SQNR is the sum of squares over that of the errors, in dB, missing where a result is Inf or NaN. Clipped: beyond the largest number there is, in a block the largest element times its scale. Underflow: of the values that are not zero those that become zero. Mean errors are relative to the root mean square of the values. Bits count the scales. Of several tensors together: means over all values, each relative to its own tensor.'

/** The columns of codebooks. */
export const codebookColumns: readonly Column[] = [
  { key: 'way' },
  { key: 'bits', header: 'bits a value' },
  { key: 'sqnr', header: 'SQNR dB', align: 'right', show: decibels },
  { key: 'dead', header: 'dead codes' },
  { key: 'wrongCodes', header: 'wrong codes in bfloat16', align: 'right', show: share },
]

/** What they mean. */
export const codebooksReading =
  'Codebooks: one for each tensor, in bfloat16, fitted by k-means to at most 64 vectors a code; vq 2 x 256 has a code for 2 neighbours, 256 codes, and bits count codes and tables. Wrong codes: those that differ where distances are |x|^2 - 2 x.c + |c|^2, sums in float32, results in bfloat16. tpu-toolkit vq chooses among them, layer by layer.'

/** What the ways are. */
export const waysReading =
  "Every cast rounds to nearest, ties to even. Plain: overflow is what the format has for it; saturating: it is the largest number (listed where it differs); scaled: one float32 for a tensor brings its largest magnitude to the format's. float8_e8m0fnu has no sign, which is kept beside it, as a ninth bit, and no zero, which becomes NaN. MX: a power of two for 32 neighbours, by rule; NVFP4: a float8_e4m3fn for 16 neighbours, with two levels also a float32 for a tensor. Neighbours lie along the last axis."

/** How the model did, in a sentence. */
export function modelSentence({ before, after }: { before: number; after: number }): string {
  return `The model predicts the mean logarithm of the next 16 gaps between departures from the last 24 and the time of day: layers of 64, 64 and 1, float32, 4 rounds of Adam. Its loss on the last fifth of the data, which it was not trained on, is ${readable(before)} before training and ${readable(after)} after (1 is the variance of what is predicted).`
}

/** Everything a run prints on a terminal, data set after data set. */
export function printed(results: FormatsResults, width?: number): string {
  const parts = results.sets.map((set) => {
    const rows = tableRows(set.rows, results.model?.after)
    const shown = rows.map(({ tensor: _, ...row }) => row)
    const table = textTable(tableColumns(shown), shown, { group: 'elementBits', width })
    return `${set.title}: ${set.about}${sizes(set)}\n${set.finding}\n\n${table}\n${codebooksOf(set, width)}`
  })
  const skipped = results.skipped.map(({ name, why }) => `  ${name}: ${why}`)
  return [
    ...parts,
    ...(results.model ? [modelSentence(results.model)] : []),
    ...(skipped.length > 0 ? [`Tensors that were not measured:\n${skipped.join('\n')}`] : []),
    `${reading}\n${waysReading}`,
    `${results.finding}\n`,
  ].join('\n')
}

function codebooksOf({ codebooks }: SetResults, width?: number): string {
  if (codebooks.length === 0) return ''
  return `\n${codebooksReading}\n\n${textTable(codebookColumns, codebooks, { width })}\n`
}

/** How many tensors and values, as the end of a heading. */
export function sizes({ rows, tensors }: SetResults): string {
  const values = `${readable(rows[0]?.values)} values`
  return ` (${tensors.length > 1 ? `${tensors.length} tensors, ` : ''}${values})`
}
