import { readable } from '../../../base/text/index.js'
import { naiveCumsum, naiveDecay, stableCumsum, stableDecay } from '../../../numerics/index.js'
import { decayBound } from '../lab/bounds.js'
import { atLongest, formatNumber } from '../lab/formatNumber.js'
import { type Operation, powersOfTwo } from '../lab/operation.js'
import { exactCumsum } from '../lab/reference.js'
import { sequences } from '../lab/sequences.js'

const rates = [-1, -4, -8, -16] as const

/** What remains of a state after each step: exp(A cs), cs the cumulative sum of the steps. */
export const decayCase: Operation = {
  name: 'decay',
  title: 'Decay',
  about:
    'exp(A cs) with cs the cumulative sum of the steps: what remains of a state after each step. Naive: sum, product and exponential each rounded to the dtype. Stable: all three in float32, rounded once.',
  lengthName: 'length',
  lengths: powersOfTwo(16, 65_536),
  running: true,
  growth: 'maxUlps',
  trials: (lab) =>
    sequences(lab).flatMap(({ name, values, start, sumAbs }) => {
      const sums = exactCumsum(values)
      return rates.flatMap((rate) =>
        lab.lengths.map((length) => () => {
          const x = start(length)
          const how = { n: length, dtype: lab.dtype }
          const data = { A: rate, sumAbs: sumAbs(length), exponent: rate * sums[0]! }
          return {
            variant: `A = ${rate}`,
            input: name,
            length,
            reference: sums.subarray(0, length).map((cs) => Math.exp(rate * cs)),
            ways: [
              {
                name: 'naive',
                role: 'naive' as const,
                compute: () => naiveDecay(rate, naiveCumsum(x)),
                bound: () => decayBound(how, data),
              },
              {
                name: 'stable',
                role: 'stable' as const,
                compute: () => stableDecay(rate, stableCumsum(x, { dtype: 'float32' }), { dtype: lab.dtype }),
                bound: () => decayBound({ ...how, accumulate: 'float32', internal: 'float32' }, data),
              },
            ],
          }
        }),
      )
    }),
  finding: (rows) => {
    const at = (way: string) => atLongest(rows, { input: 'earthquakes', variant: 'A = -1', way })
    const [naive, stable] = [at('naive'), at('stable')]
    if (!naive || !stable) return ''
    const never =
      naive.last > 0 && naive.stallIndex !== null
        ? ` It never ends: from step ${readable(naive.stallIndex)} on ${formatNumber(naive.last)} of the state stays for good.`
        : ''
    return `On the gaps between earthquakes, A = -1, naive decay is up to ${formatNumber(naive.maxUlps)} ulps off within ${readable(naive.length)} steps, stable decay up to ${formatNumber(stable.maxUlps)}.${never}`
  },
  figures: () => [
    ...rates.map((rate) => ({
      input: 'earthquakes',
      variant: `A = ${rate}`,
      measure: 'maxUlps' as const,
      caption: `Steps from the gaps between earthquakes, A = ${rate}.`,
    })),
    ...['earthquakes', 'flights'].map((input) => ({
      input,
      variant: 'A = -1',
      measure: 'maxAbs' as const,
      caption: `The slowest decay on ${input}, as a share of the state, with what theory allows. Nearly all of this error is made early, while something is left.`,
    })),
  ],
}
