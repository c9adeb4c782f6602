import type { Skipped } from '../../io/index.js'
import { type Column, type Row, textTable } from '../../report/index.js'
import { readable } from '../../text/index.js'
import type { LayerRow, ModelMetrics, TotalRow, WayRow } from '../../vq/index.js'

/** Everything that is printed and written. */
export interface VqResults {
  readonly tensors: readonly {
    readonly name: string
    readonly shape: readonly number[]
    readonly dtype: string
  }[]
  readonly skipped: readonly Skipped[]
  /** Every tensor in every way. */
  readonly layers: readonly LayerRow[]
  /** All tensors in every way, and as chosen. */
  readonly totals: readonly TotalRow[]
  readonly metrics: ModelMetrics
}

/** What the columns mean. */
export const reading =
  'vq 2 x 256: a code for 2 neighbours, 256 codes in a table of bfloat16, one for a tensor. Bits count codes, scales and tables. SQNR is the sum of squares over that of the errors, in dB. Perplexity: as many codes used evenly have the same entropy, the mean over tensors; dead: codes that nothing has. Chosen: of each tensor the way that makes the sum of all relative errors least within the bits. No speed was measured.'

/** The columns of both tables. */
export const wayColumns: readonly Column[] = [
  { key: 'way' },
  { key: 'bits', digits: 4 },
  { key: 'sqnr', header: 'SQNR dB', align: 'right' },
  { key: 'perplexity', digits: 3 },
  { key: 'dead' },
]

export const tensorColumns: readonly Column[] = [
  { key: 'tensor' },
  { key: 'shape' },
  ...wayColumns,
  { key: 'chosen' },
]

/** One row a way, over all tensors. */
export const totalRows = ({ totals }: VqResults): Row[] => totals.map(wayRow)

/** One row a tensor and way. */
export function tensorRows({ layers, tensors }: VqResults): Row[] {
  const shapes = new Map(tensors.map(({ name, shape }) => [name, `[${shape.join(', ')}]`]))
  return layers.map((row) => ({
    tensor: row.path,
    shape: shapes.get(row.path) ?? '',
    ...wayRow(row),
    chosen: row.chosen ? 'yes' : '',
  }))
}

function wayRow({ way, bitsPerValue, sqnr, perplexity, deadCodes }: WayRow): Row {
  const decibels = sqnr === Infinity ? 'exact' : readable(sqnr)
  return { way, bits: bitsPerValue, sqnr: decibels, perplexity, dead: deadCodes }
}

/** What was reached, in a sentence. */
export function vqFinding({ metrics, layers, tensors }: VqResults): string {
  const { values, bitsPerValue, sqnr, bytesBefore, bytesAfter, compression } = metrics
  const vectors = layers.filter(({ chosen, way }) => chosen && way.startsWith('vq ')).length
  return `${readable(values, 4)} values of ${tensors.length} tensor${tensors.length === 1 ? '' : 's'} take ${readable(bitsPerValue, 3)} bits each, tables counted: ${readable(bytesBefore, 4)} bytes become ${readable(bytesAfter, 4)}, ${readable(compression, 3)} times fewer, at ${readable(sqnr, 3)} dB. Codebooks were chosen for ${vectors} of ${tensors.length}.`
}

/** What the command prints. */
export function vqTable(results: VqResults, width?: number): string {
  const chosen = tensorRows(results).filter((row) => row['chosen'] === 'yes')
  const { skipped } = results
  return [
    textTable(wayColumns, totalRows(results), { width }),
    'As chosen, tensor by tensor:',
    textTable(
      tensorColumns.filter(({ key }) => key !== 'chosen'),
      chosen,
      { width },
    ),
    ...(skipped.length === 0
      ? []
      : [`Left as they are:\n${skipped.map(({ name, why }) => `  ${name}: ${why}`).join('\n')}`]),
    vqFinding(results),
    reading,
  ].join('\n\n')
}
