import { readable } from '../../../base/text/index.js'
import { naiveSum } from '../../../numerics/index.js'
import { type Order, sum } from '../../../tensors/tensor/index.js'
import { boundOf } from '../lab/bounds.js'
import { atLongest, formatNumber, outcome } from '../lab/formatNumber.js'
import { type Operation, powersOfTwo } from '../lab/operation.js'
import { otherOrders } from '../lab/orders.js'
import { exactCumsum } from '../lab/reference.js'
import { sequences } from '../lab/sequences.js'

const orders: Readonly<Record<string, Order>> = {
  sequential: 'sequential',
  ...otherOrders,
  'windowed 32': { windowed: 32 },
}

/** The total, in every order. */
export const sumCase: Operation = {
  name: 'sum',
  title: 'Sum',
  about:
    'The total x1 + ... + xn. All ways but the last round every addition to the dtype; "float32" adds in float32 and rounds the total once. "windowed 32" is the order of a reduction in XLA on CPUs.',
  lengthName: 'length',
  lengths: powersOfTwo(16, 65_536),
  running: false,
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
          reference: sums.subarray(length - 1, length),
          ways: [
            ...Object.entries(orders).map(([way, order]) => ({
              name: way,
              role: way === 'sequential' ? ('naive' as const) : ('other' as const),
              compute: () => naiveSum(x, { order }),
              bound: () => boundOf('sum', { ...how, order, accumulate: lab.dtype }, sumAbs(length)),
            })),
            {
              name: 'float32',
              role: 'stable' as const,
              compute: () => sum(x, { accumulate: 'float32' }),
              bound: () => boundOf('sum', { ...how, accumulate: 'float32' }, sumAbs(length)),
            },
          ],
        }
      })
    }),
  finding: (rows, dtype) => {
    const ones = atLongest(rows, { input: 'ones', way: 'sequential' })
    const uniform = atLongest(rows, { input: 'uniform', way: 'sequential' })
    if (!ones || !uniform) return ''
    const others = rows.filter(
      (row) => row.input === 'uniform' && row.length === ones.length && row.role === 'other',
    )
    const best = others.reduce((a, b) => (b.maxAbs < a.maxAbs || Number.isNaN(a.maxAbs) ? b : a))
    return `${readable(ones.length)} ones added one after another in ${dtype} are ${formatNumber(ones.last)}. Of uniform numbers the sequential sum is ${outcome(uniform, dtype)}; the order that comes closest without leaving ${dtype} is ${best.way}: ${outcome(best, dtype)}.`
  },
  figures: (rows) => [
    ...[...new Set(rows.map((row) => row.input))].map((input) => ({
      input,
      variant: '',
      measure: 'maxRel' as const,
      caption: `Relative error of the total of ${input}: naive (red), stable (blue), other orders.`,
    })),
    {
      input: 'flights',
      variant: '',
      measure: 'maxAbs' as const,
      caption: 'Absolute error on flights with its bounds, dashed.',
    },
  ],
}
