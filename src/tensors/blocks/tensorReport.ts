import { checkArray, checkInteger, checkNumber, checkRecord } from '../../base/options/index.js'
import { joinReports } from './joinReports.js'
import type { PiecewiseTensor } from './piecewise.js'
import type { JoinedReport } from './quantizationReport.js'
import { bitsPerElement, type QuantizationWay } from './quantizationWay.js'
import { reportPieces } from './reportPieces.js'
import { leastExponent, type Survey, survey } from './survey.js'

/** What one way of quantising does to a tensor, or to several together. */
export interface WayReport extends JoinedReport {
  readonly scheme: string
  readonly way: string
  /** Bits of an element with its part of the scales. */
  readonly bits: number
}

/** What ways of quantising do to one tensor. */
export interface TensorReport {
  readonly name: string
  readonly shape: readonly number[]
  readonly survey: Survey
  /** One a way, in their order; none where the tensor has no finite value. */
  readonly ways: readonly WayReport[]
}

/** What one way does to all tensors, and to which of them most. */
export interface WayTotal extends WayReport {
  /** The tensor of least SQNR, the first of several. */
  readonly worst: { readonly tensor: string; readonly sqnr: number }
}

/**
 * What every way does to a tensor that is read twice, a piece at a time: first for what has to be known of it.
 *
 * Rounding, Special  as `reportPieces` has it.
 *
 * @example const ways = quantizationWays.filter(({ scheme }) => scheme === 'float8_e4m3fn')
 * tensorReport(piecewise('w', [3], () => Float32Array.of(1, 1.0625, 500)), ways).ways.map(({ way, overflowed }) => [way, overflowed]) // [['plain', 1 / 3], ['saturating', 0], ['scaled', 0]]
 */
export function tensorReport(tensor: PiecewiseTensor, ways: readonly QuantizationWay[]): TensorReport {
  checkRecord('tensorReport', 'tensor', tensor, ['pieces'])
  checkArray('tensorReport', 'ways', ways)
  for (const way of ways) checkWay(way)
  const { name, shape } = tensor
  const known = survey(tensor)
  if (known.notFinite === known.values) return { name, shape, survey: known, ways: [] }
  const reports = reportPieces(tensor, ways, known.amax)
  return {
    ...{ name, shape, survey: known },
    ways: ways.map((way, i) => ({
      ...{ scheme: way.scheme, way: way.way, bits: bitsPerElement(way, shape) },
      ...reports[i]!,
    })),
  }
}

/**
 * What each way does to all tensors together, those without a finite value left out; bits are the mean over the finite values.
 *
 * Rounding  as `joinReports` has it.
 * Throws    RangeError for reports of different ways.
 *
 * @example wayTotals([]) // []
 */
export function wayTotals(reports: readonly TensorReport[]): WayTotal[] {
  checkArray('wayTotals', 'reports', reports)
  for (const report of reports) {
    checkRecord('wayTotals', 'a report', report, ['name', 'ways'])
    checkArray('wayTotals', 'ways', report.ways)
  }
  const there = reports.filter(({ ways }) => ways.length > 0)
  const [first] = there
  if (!first) return []
  return first.ways.map(({ scheme, way }, i) => {
    const parts = there.map(({ name, ways }) => {
      const one = ways[i]
      if (one?.scheme !== scheme || one.way !== way || ways.length !== first.ways.length) {
        throw new RangeError(`wayTotals: reports of different ways [${first.name}, ${name}]`)
      }
      return { tensor: name, report: one }
    })
    const joined = joinReports(parts.map(({ report }) => report))
    const bits = parts.reduce((sum, { report }) => sum + report.count * report.bits, 0) / joined.count
    const least = parts.reduce((a, b) => (b.report.sqnr < a.report.sqnr ? b : a))
    return {
      ...{ scheme, way, bits },
      ...joined,
      worst: { tensor: least.tensor, sqnr: least.report.sqnr },
    }
  })
}

/**
 * Percent of the values with 2^x <= |value| < 2^(x + 1), by x, where there are any; the ends have all below and all above.
 *
 * @example magnitudes([survey(piecewise('w', [4], () => Float32Array.of(1, -4, 5, 0)))]) // [{ x: 0, y: 25 }, { x: 2, y: 50 }]
 */
export function magnitudes(surveys: readonly Survey[]): { readonly x: number; readonly y: number }[] {
  checkArray('magnitudes', 'surveys', surveys)
  for (const known of surveys) {
    checkRecord('magnitudes', 'a survey', known, ['values', 'exponents'])
    checkArray('magnitudes', 'exponents', known.exponents)
  }
  const values = surveys.reduce((sum, known) => sum + known.values, 0)
  return Array.from({ length: 255 }, (_, i) => ({
    x: leastExponent + i,
    y: (100 * surveys.reduce((sum, { exponents }) => sum + exponents[i]!, 0)) / values,
  })).filter(({ y }) => y > 0)
}

/** Throws unless a way has the fields from which its bits are computed. */
function checkWay(way: QuantizationWay): void {
  checkRecord('tensorReport', 'a way', way, [
    'scheme',
    'way',
    'quantizer',
    'elementBits',
    'blockBits',
    'tensorBits',
  ])
  const { elementBits, blockBits, tensorBits, rowBits = 0, blockSize } = way
  for (const [name, bits] of Object.entries({ elementBits, blockBits, tensorBits, rowBits })) {
    checkNumber('tensorReport', name, bits, 0)
  }
  if (blockSize !== null) checkInteger('tensorReport', 'blockSize', blockSize, 1)
}
