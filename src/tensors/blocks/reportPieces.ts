import { checkArray, checkFunction, checkRecord, shown } from '../../base/options/index.js'
import { joinReports } from './joinReports.js'
import { padRows } from './padRows.js'
import type { Piece, PiecewiseTensor } from './piecewise.js'
import type { JoinedReport, Numbers } from './quantizationReport.js'
import type { QuantizationWay } from './quantizationWay.js'

/**
 * What each way does to a tensor, of which a piece at a time is in memory; one report a way.
 *
 * Shape     blocks lie along the last axis and do not reach over the end of a row: what they lack is filled with zeros,
 *           which no number of the report counts.
 * Rounding, Special  as `quantizationWays` and `quantizationReport` have it.
 *
 * @param amax the largest finite magnitude, as `survey` finds it: the scales of a tensor come from it.
 */
export function reportPieces(
  tensor: PiecewiseTensor,
  ways: readonly QuantizationWay[],
  amax: number,
): JoinedReport[] {
  checkRecord('reportPieces', 'tensor', tensor, ['pieces'])
  checkArray('reportPieces', 'ways', ways)
  for (const way of ways) {
    checkRecord('reportPieces', 'a way', way, ['quantizer', 'blockSize'])
    checkFunction('reportPieces', `the quantizer of ${shown(way.scheme)}`, way.quantizer)
  }
  const quantizers = ways.map((way) => way.quantizer(amax))
  const reports = ways.map((): JoinedReport | undefined => undefined)
  for (const piece of tensor.pieces()) {
    const padded = paddings(piece)
    ways.forEach(({ blockSize }, i) => {
      const [values, originals] = padded(blockSize)
      const report = quantizers[i]!(values, originals, piece.rowLength).report()
      const before = reports[i]
      reports[i] = before ? joinReports([before, report]) : report
    })
  }
  return reports.map((report) => joinReports(report ? [report] : []))
}

/** The piece's values with rows that blocks divide, by block size, and the originals: NaN where a zero was added. */
function paddings({
  values,
  rowLength,
}: Piece): (blockSize: number | null) => readonly [values: Numbers, originals: Numbers] {
  const made = new Map<number, readonly [Numbers, Numbers]>()
  return (blockSize) => {
    if (blockSize === null || rowLength % blockSize === 0) return [values, values]
    const both = made.get(blockSize) ?? [
      padRows(values, rowLength, blockSize),
      padRows(values, rowLength, blockSize, Number.NaN),
    ]
    made.set(blockSize, both)
    return both
  }
}
