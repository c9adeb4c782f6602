import {
  bitsPerElement,
  type JoinedReport,
  joinReports,
  leastExponent,
  type QuantizationWay,
  reportPieces,
  type Survey,
  survey,
} from '../../blocks/index.js'
import { BadInput, type FileTensor, openFloatTensors, type Progress, type Skipped } from '../../io/index.js'

/** What a way of quantising does to one tensor, or to all of them. */
export interface QuantizeRow extends JoinedReport {
  readonly tensor: string
  readonly scheme: string
  readonly way: string
  /** Bits of an element with its part of the scales. */
  readonly bits: number
}

/** What a way does to all tensors, and to which of them most. */
export interface QuantizeTotal extends Omit<QuantizeRow, 'tensor'> {
  /** The tensor of least SQNR, the first of several. */
  readonly worst: { readonly tensor: string; readonly sqnr: number }
}

/** Everything that is printed and written. */
export interface QuantizeResults {
  readonly tensors: readonly {
    readonly name: string
    readonly dtype: string
    readonly shape: readonly number[]
    readonly values: number
    readonly notFinite: number
  }[]
  readonly skipped: readonly Skipped[]
  /** One a tensor and way, tensor by tensor. */
  readonly rows: readonly QuantizeRow[]
  /** One a way. */
  readonly totals: readonly QuantizeTotal[]
  /** Percent of the values with 2^x <= |value| < 2^(x + 1). */
  readonly magnitudes: readonly { readonly x: number; readonly y: number }[]
}

/** Quantises the float tensors of a file in each way, a piece of a tensor in memory at a time. */
export function quantizeFile(
  path: string,
  ways: readonly QuantizationWay[],
  progress: Progress = () => {},
): QuantizeResults {
  const file = openFloatTensors(path)
  try {
    const skipped = [...file.skipped]
    const done: { tensor: FileTensor; known: Survey; rows: QuantizeRow[] }[] = []
    file.tensors.forEach((tensor, i) => {
      progress(i, file.tensors.length, tensor.name)
      const known = survey(tensor)
      if (known.notFinite === known.values) skipped.push({ name: tensor.name, why: 'no finite value' })
      else done.push({ tensor, known, rows: rowsOf(tensor, ways, known) })
    })
    progress(file.tensors.length, file.tensors.length, '')
    if (done.length === 0) throw new BadInput(`no float tensor to quantize${reasons(skipped)}`)
    return {
      tensors: done.map(({ tensor: { name, dtype, shape }, known: { values, notFinite } }) => ({
        ...{ name, dtype, shape, values, notFinite },
      })),
      skipped,
      rows: done.flatMap(({ rows }) => rows),
      totals: ways.map((_, i) => totalOf(done.map(({ rows }) => rows[i]!))),
      magnitudes: magnitudes(done.map(({ known }) => known)),
    }
  } finally {
    file.close()
  }
}

function rowsOf(tensor: FileTensor, ways: readonly QuantizationWay[], known: Survey): QuantizeRow[] {
  const reports = reportPieces(tensor, ways, known.amax)
  return ways.map((way, i) => ({
    ...{ tensor: tensor.name, scheme: way.scheme, way: way.way, bits: bitsPerElement(way, tensor.shape) },
    ...reports[i]!,
  }))
}

function totalOf(rows: readonly QuantizeRow[]): QuantizeTotal {
  const { scheme, way } = rows[0]!
  const joined = joinReports(rows)
  const bits = rows.reduce((sum, row) => sum + row.count * row.bits, 0) / joined.count
  const { tensor, sqnr } = rows.reduce((least, row) => (row.sqnr < least.sqnr ? row : least))
  return { scheme, way, bits, ...joined, worst: { tensor, sqnr } }
}

function reasons(skipped: readonly Skipped[]): string {
  if (skipped.length === 0) return ' [no tensors]'
  const first = skipped.slice(0, 3).map(({ name, why }) => `${name}: ${why}`)
  return ` [${first.join('; ')}${skipped.length > 3 ? '; ...' : ''}]`
}

function magnitudes(surveys: readonly Survey[]): { x: number; y: number }[] {
  const values = surveys.reduce((sum, known) => sum + known.values, 0)
  const bars = Array.from({ length: 255 }, (_, i) => ({
    x: leastExponent + i,
    y: (100 * surveys.reduce((sum, { exponents }) => sum + exponents[i]!, 0)) / values,
  }))
  return bars.filter(({ y }) => y > 0)
}
