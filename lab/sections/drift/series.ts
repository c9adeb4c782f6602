import { earthquakeGaps, flightGaps } from 'tpu-toolkit/data'
import { seeded } from 'tpu-toolkit/random'

/** The series that are there without typing one. */
export const seriesNames = [
  'ones',
  'tenths',
  'uniform',
  'harmonic',
  'alternating',
  'earthquakes',
  'flights',
  'own',
] as const
export type SeriesName = (typeof seriesNames)[number]

/** What a series is called on the page. */
export const saidOf: Readonly<Record<SeriesName, string>> = {
  ones: 'ones',
  tenths: 'tenths: 0.1 each',
  uniform: 'drawn from 0 to 1',
  harmonic: 'harmonic: 1 / i',
  alternating: 'alternating: (-1)^i / i',
  earthquakes: 'gaps between earthquakes, their mean 1',
  flights: 'gaps between flights, their mean 1',
  own: 'your own',
}

/** The first n values of a series. */
export function seriesOf(name: SeriesName, n: number, own: readonly number[]): Float64Array {
  const by = (f: (i: number) => number): Float64Array => Float64Array.from({ length: n }, (_, i) => f(i))
  switch (name) {
    case 'ones':
      return by(() => 1)
    case 'tenths':
      return by(() => 0.1)
    case 'uniform': {
      const draw = seeded('lab')
      return by(() => draw())
    }
    case 'harmonic':
      return by((i) => 1 / (i + 1))
    case 'alternating':
      return by((i) => (i % 2 === 0 ? 1 : -1) / (i + 1))
    case 'earthquakes':
      return recorded(earthquakeGaps, n)
    case 'flights':
      return recorded(flightGaps, n)
    default:
      return Float64Array.from(own.slice(0, n))
  }
}

/** Recorded gaps, over and over where there are too few, divided by their mean. */
function recorded(gaps: ArrayLike<number>, n: number): Float64Array {
  let total = 0
  for (let i = 0; i < gaps.length; i++) total += gaps[i]!
  const mean = total / gaps.length
  return Float64Array.from({ length: n }, (_, i) => gaps[i % gaps.length]! / mean)
}

/** Numbers in a text: separated by spaces, commas, semicolons or lines. What is none is said. */
export function readSeries(text: string): { readonly values: number[]; readonly wrong: string | undefined } {
  const words = text.split(/[\s,;]+/).filter((word) => word !== '')
  const wrong = words.find((word) => !Number.isFinite(Number(word)))
  return { values: words.map(Number).filter(Number.isFinite), wrong }
}
