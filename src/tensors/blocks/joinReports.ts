import { checkArray, checkRecord, shown } from '../../base/options/index.js'
import { decibels, type JoinedReport } from './quantizationReport.js'

/**
 * The reports of parts, pieces of a tensor or tensors, as that of all their numbers together.
 *
 * Rounding  sums come back from means: counts exactly, the others within a few float64 ulps.
 * Special   of parts without a finite number, or of no parts, the count is 0 and all means are NaN.
 *
 * @example joinReports([quantizationReport(Float32Array.of(1), Float32Array.of(2)), quantizationReport(Float32Array.of(3), Float32Array.of(3))]).meanError // 0.5
 */
export function joinReports(reports: readonly JoinedReport[]): JoinedReport {
  checkArray('joinReports', 'reports', reports)
  for (const report of reports) checkReport(report)
  const parts = reports.filter(({ count }) => count > 0)
  const total = (of: (part: JoinedReport) => number): number =>
    parts.reduce((sum, part) => sum + part.count * of(part), 0)
  const counted = (of: (part: JoinedReport) => number): number =>
    parts.reduce((sum, part) => sum + Math.round(part.count * of(part)), 0)
  const count = total(() => 1)
  const signal = total(({ rms }) => rms * rms)
  const noise = total(({ rmsError }) => rmsError * rmsError)
  return {
    count,
    rms: Math.sqrt(signal / count),
    sqnr: decibels(signal, noise),
    clipped: counted(({ clipped }) => clipped) / count,
    underflowed: counted(({ underflowed }) => underflowed) / count,
    overflowed: counted(({ overflowed }) => overflowed) / count,
    maxError: parts.reduce((most, { maxError }) => Math.max(most, maxError), 0),
    meanAbsoluteError: total(({ meanAbsoluteError }) => meanAbsoluteError) / count,
    rmsError: Math.sqrt(noise / count),
    meanError: total(({ meanError }) => meanError) / count,
  }
}

const joined = [
  'count',
  'rms',
  'sqnr',
  'clipped',
  'underflowed',
  'overflowed',
  'maxError',
  'meanAbsoluteError',
  'rmsError',
  'meanError',
] as const

/** Throws unless a report is a record of numbers, or of null where there is none, as JSON has it. */
function checkReport(report: JoinedReport): void {
  checkRecord('joinReports', 'a report', report, joined)
  for (const name of joined) {
    const value: unknown = report[name]
    if (typeof value !== 'number' && value !== null) {
      throw new TypeError(`joinReports: ${name} is not a number [${shown(value)}]`)
    }
  }
}
