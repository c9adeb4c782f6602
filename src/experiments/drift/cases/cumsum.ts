import { readable } from '../../../base/text/index.js'
import { naiveCumsum, stableCumsum } from '../../../numerics/index.js'
import { cumsum } from '../../../tensors/tensor/index.js'
import { boundOf } from '../lab/bounds.js'
import { atLongest, formatNumber, outcome } from '../lab/formatNumber.js'
import { type Operation, powersOfTwo } from '../lab/operation.js'
import { otherOrders } from '../lab/orders.js'
import { exactCumsum } from '../lab/reference.js'
import { sequences } from '../lab/sequences.js'

/** Every partial sum, in every order. */
export const cumsumCase: Operation = {
  name: 'cumsum',
  title: 'Cumulative sum',
  about:
    'Every partial sum x1 + ... + xi. All ways but the last round every addition to the dtype; "float32" (stableCumsum) adds in float32 and rounds each result once. "blocked 16" is the order of XLA on CPUs.',
  lengthName: 'length',
  lengths: powersOfTwo(16, 65_536),
  running: true,
  growth: 'maxAbs',
  trials: (lab) =>
    sequences(lab).flatMap(({ name, values, start, sumAbs }) => {
      const sums = exactCumsum(values)
      return lab.lengths.map((length) => () => {
        const x = start(length)
        const how = { n: length, dtype: lab.dtype }
        return {
          variant: '',
          input: name,
          length,
          reference: sums.subarray(0, length),
          ways: [
            {
              name: 'sequential',
              role: 'naive' as const,
              compute: () => naiveCumsum(x),
              bound: () => boundOf('cumsum', how, sumAbs(length)),
            },
            ...Object.entries(otherOrders).map(([way, order]) => ({
              name: way,
              role: 'other' as const,
              compute: () => cumsum(x, { order }),
              bound: () => boundOf('cumsum', { ...how, order }, sumAbs(length)),
            })),
            {
              name: 'float32',
              role: 'stable' as const,
              compute: () => stableCumsum(x),
              bound: () => boundOf('cumsum', { ...how, accumulate: 'float32' }, sumAbs(length)),
            },
          ],
        }
      })
    }),
  finding: (rows, dtype) => {
    const naive = atLongest(rows, { input: 'earthquakes', way: 'sequential' })
    const stable = atLongest(rows, { input: 'earthquakes', way: 'float32' })
    if (!naive || !stable) return ''
    const stall =
      naive.stallIndex === null
        ? 'ends at'
        : `stops growing at element ${readable(naive.stallIndex)} of ${readable(naive.length)} and stays at`
    return `On the gaps between earthquakes the sequential ${dtype} sum ${stall} ${outcome(naive, dtype)}, where ${formatNumber(naive.lastReference, 4)} is right. Summed in float32 and rounded once it is ${outcome(stable, dtype)}.`
  },
  figures: (rows) => [
    ...[...new Set(rows.map((row) => row.input))].map((input) => ({
      input,
      variant: '',
      measure: 'maxAbs' as const,
      caption: `Naive (red) against stable (blue) on ${input}, with the other orders between; dashed: what theory allows.`,
    })),
    {
      input: 'earthquakes',
      variant: '',
      measure: 'maxUlps' as const,
      caption: 'The same errors in ulps.',
    },
  ],
}
