import type { DriftResults, Measurement } from '../../experiments/drift/index.js'
import { csv, jsonWithRows } from '../../report/index.js'

/** The fields of a measurement, in the order of the files. */
export const fields: readonly (keyof Measurement)[] = [
  'op',
  'variant',
  'input',
  'way',
  'role',
  'length',
  'maxAbs',
  'maxRel',
  'rms',
  'normRel',
  'sqnr',
  'bias',
  'maxUlps',
  'stallIndex',
  'bound',
  'ofBound',
  'vsStable',
  'effectiveRank',
  'stallShare',
  'last',
  'lastBits',
  'lastReference',
]

const measurementsOf = ({ ops }: DriftResults): Measurement[] => ops.flatMap(({ rows }) => rows)

/** The results as JSON, one measurement a line. No times, no paths: the same options give the same bytes. */
export function driftJson(results: DriftResults): string {
  const head = {
    benchmark: 'drift',
    dtype: results.dtype,
    seed: results.seed,
    reference: 'float64, sums in two float64 words, of the inputs rounded to the dtype',
    inputs: results.inputs,
    ops: results.ops.map(({ operation, lengths, finding, theories }) => ({
      op: operation.name,
      lengths,
      finding,
      bounds: Object.fromEntries(
        [...theories].map(([way, { formula, source }]) => [way, { formula, source }]),
      ),
    })),
  }
  return jsonWithRows(head, measurementsOf(results), fields)
}

/** The measurements as comma-separated values. */
export function driftCsv(results: DriftResults): string {
  return csv(fields, measurementsOf(results))
}
