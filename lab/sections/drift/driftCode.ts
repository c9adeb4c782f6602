import { type DriftAsked, driftOrders } from './driftMessages.js'
import type { SeriesName } from './series.js'

/** The program that makes the figures. */
export function driftCode({
  series,
  values,
  dtype,
  order,
  accumulate,
  same,
}: DriftAsked & { readonly series: SeriesName; readonly same: boolean }): string {
  const given = driftOrders[order]
  const options = [
    `order: ${typeof given === 'string' ? `'${given}'` : `{ blocked: ${given.blocked} }`}`,
    ...(same ? [] : [`accumulate: '${accumulate}'`]),
  ].join(', ')
  const n = values.length
  const table = tables[series] ?? ''
  const made: Readonly<Record<SeriesName, string>> = {
    ones: `Float64Array.from({ length: ${n} }, () => 1)`,
    tenths: `Float64Array.from({ length: ${n} }, () => 0.1)`,
    uniform: `Float64Array.from({ length: ${n} }, random.seeded('lab'))`,
    harmonic: `Float64Array.from({ length: ${n} }, (_, i) => 1 / (i + 1))`,
    alternating: `Float64Array.from({ length: ${n} }, (_, i) => (i % 2 === 0 ? 1 : -1) / (i + 1))`,
    earthquakes: recorded(table, n),
    flights: recorded(table, n),
    own: `[${[...values.slice(0, 200)].join(', ')}]${n > 200 ? ' // the first 200 of yours' : ''}`,
  }
  const tableImport = table === '' ? '' : `\nimport { ${table} } from 'tpu-toolkit/data'`
  return `import { cumsum, drift, errorBound, exactSum, abs, random, stableCumsum, tensor } from 'tpu-toolkit'${tableImport}

const values = ${made[series]}
const x = tensor(values, { dtype: '${dtype}' })
const exact = cumsum(tensor(x.toNumbers(), { dtype: 'float64' }), { order: 'neumaier' })
console.log(drift(cumsum(x, { ${options} }), exact))
console.log(drift(stableCumsum(x), exact))
console.log(errorBound('cumsum', { n: ${n}, dtype: '${dtype}', ${options} }, { sumAbs: exactSum(abs(x)) }))
`
}

/** The names of the recorded tables in `tpu-toolkit/data`. */
const tables: Readonly<Partial<Record<SeriesName, string>>> = {
  earthquakes: 'earthquakeGaps',
  flights: 'flightGaps',
}

function recorded(name: string, n: number): string {
  return `((gaps: readonly number[]) => {
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
  return Float64Array.from({ length: ${n} }, (_, i) => gaps[i % gaps.length]! / mean)
})(${name})`
}
