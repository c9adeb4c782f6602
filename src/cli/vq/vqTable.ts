import { readable } from '../../base/text/index.js'
import type { LayerRow, ModelMetrics, TotalRow, WayRow } from '../../models/vq/index.js'
import { type Column, textTable } from '../../report/index.js'
import type { Skipped } from '../io/openFloatTensors.js'
import { leftOutText } from '../quantize/quantizeTable.js'

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
export const wayColumns: readonly Column<WayRow>[] = [
  { key: 'way' },
  { key: 'bitsPerValue', header: 'bits', digits: 4 },
  { key: 'SQNR dB', align: 'right', of: ({ sqnr }) => (sqnr === Infinity ? 'exact' : readable(sqnr)) },
  { key: 'perplexity', digits: 3 },
  { key: 'deadCodes', header: 'dead' },
]

/** The columns of every tensor in every way. */
export function tensorColumns({ tensors }: VqResults): Column<LayerRow>[] {
  const shapes = new Map(tensors.map(({ name, shape }) => [name, `[${shape.join(', ')}]`]))
  return [
    { key: 'path', header: 'tensor' },
    { key: 'shape', of: ({ path }) => shapes.get(path) ?? '' },
    ...wayColumns,
    { key: 'chosen', of: ({ chosen }) => (chosen ? 'yes' : '') },
  ]
}

/** What was reached, in a sentence. */
export function vqFinding({ metrics, layers, tensors }: VqResults): string {
  const { values, bitsPerValue, sqnr, bytesBefore, bytesAfter, compression } = metrics
  const vectors = layers.filter(({ chosen, way }) => chosen && way.startsWith('vq ')).length
  return `${readable(values, 4)} values of ${tensors.length} tensor${tensors.length === 1 ? '' : 's'} take ${readable(bitsPerValue, 3)} bits each, tables counted: ${readable(bytesBefore, 4)} bytes become ${readable(bytesAfter, 4)}, ${readable(compression, 3)} times fewer, at ${readable(sqnr, 3)} dB. Codebooks were chosen for ${vectors} of ${tensors.length}.`
}

/** What the command prints. */
export function vqTable(results: VqResults, width?: number): string {
  const { skipped, layers, totals } = results
  return [
    textTable(wayColumns, totals, { width }),
    'As chosen, tensor by tensor:',
    textTable(
      tensorColumns(results).filter(({ key }) => key !== 'chosen'),
      layers.filter(({ chosen }) => chosen),
      { width },
    ),
    ...leftOutText('Left as they are', skipped),
    vqFinding(results),
    reading,
  ].join('\n\n')
}
