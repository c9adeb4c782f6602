import { csv, jsonWithRows } from '../../report/index.js'
import type { FormatsResults } from './formatsResults.js'
import type { Measurement } from './measure.js'

/** The fields of a measurement, in the order of the files. */
export const fields: readonly (keyof Measurement)[] = [
  'data',
  'tensor',
  'values',
  'scheme',
  'way',
  'elementBits',
  'bits',
  'sqnr',
  'clipped',
  'underflow',
  'notFinite',
  'meanError',
  'meanAbsError',
  'loss',
]

const allRows = ({ sets }: FormatsResults): Measurement[] =>
  sets.flatMap(({ rows, perTensor }) => [...rows, ...perTensor])

/** The results as JSON, one measurement a line. No times, no paths: the same options give the same bytes. */
export function formatsJson(results: FormatsResults): string {
  const head = {
    benchmark: 'formats',
    seed: results.seed,
    file: results.file,
    finding: results.finding,
    model: results.model,
    data: results.sets.map(({ name, about, finding, tensors, codebooks, histogram }) => ({
      name,
      about,
      finding,
      tensors: tensors.map((tensor) => `${tensor.name} [${tensor.shape.join(', ')}]`.trim()),
      ...(codebooks.length > 0 && { codebooks }),
      percentFrom: Object.fromEntries(histogram.map(({ x, y }) => [`2^${x}`, y])),
    })),
    skipped: results.skipped,
  }
  return jsonWithRows(head, allRows(results), fields)
}

/** The measurements as comma-separated values. */
export function formatsCsv(results: FormatsResults): string {
  return csv(fields, allRows(results))
}
