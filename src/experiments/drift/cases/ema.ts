import { readable } from '../../../base/text/index.js'
import { rounder } from '../../../numbers/formats/index.js'
import { tensor } from '../../../tensors/tensor/index.js'
import { atLongest, formatNumber } from '../lab/formatNumber.js'
import { type Operation, powersOfTwo } from '../lab/operation.js'
import { exactEma } from '../lab/reference.js'
import { sequences } from '../lab/sequences.js'

const decays = [0.9, 0.99, 0.999] as const

type Round = (value: number) => number

/** m = decay m + (1 - decay) x, every operation rounded by `inside`; what is kept of each m is rounded by `outside`. */
function ema(values: Float64Array, decay: number, inside: Round, outside: Round): Float64Array {
  const keep = inside(decay)
  const take = inside(1 - decay)
  let mean = 0
  return values.map((x) => {
    mean = inside(inside(keep * mean) + inside(take * x))
    return outside(mean)
  })
}

/** Exponential moving averages, as optimizers and target networks keep them. */
export const emaCase: Operation = {
  name: 'ema',
  title: 'Exponential moving average',
  about:
    'm = b m + (1 - b) x from m = 0, every m. Naive: b, 1 - b, both products and the sum rounded to the dtype. Stable: the average kept in float32, each output rounded once.',
  lengthName: 'steps',
  lengths: powersOfTwo(16, 65_536),
  running: true,
  growth: 'maxRel',
  trials: (lab) => {
    const round = rounder(lab.dtype)
    const exact: Round = (value) => value
    return sequences(lab).flatMap(({ name, values }) =>
      decays.flatMap((decay) => {
        const reference = exactEma(values, decay)
        const naive = ema(values, decay, round, exact)
        const stable = ema(values, decay, Math.fround, round)
        return lab.lengths.map((length) => () => ({
          variant: `b = ${decay}`,
          input: name,
          length,
          reference: reference.subarray(0, length),
          ways: [
            {
              name: 'naive',
              role: 'naive' as const,
              compute: () => tensor(naive.subarray(0, length), { dtype: lab.dtype }),
            },
            {
              name: 'stable',
              role: 'stable' as const,
              compute: () => tensor(stable.subarray(0, length), { dtype: lab.dtype }),
            },
          ],
        }))
      }),
    )
  },
  finding: (rows, dtype) => {
    const variant = 'b = 0.999'
    const naive = atLongest(rows, { input: 'ones', variant, way: 'naive' })
    const stable = atLongest(rows, { input: 'ones', variant, way: 'stable' })
    if (!naive || !stable) return ''
    const decay = readable(rounder(dtype)(0.999), 6)
    return `0.999 is ${decay} in ${dtype}: averaging ones over ${readable(naive.length)} steps, the naive average ends at ${formatNumber(naive.last)}, the one kept in float32 at ${formatNumber(stable.last)}, where ${formatNumber(naive.lastReference)} is right.`
  },
  figures: () =>
    ['earthquakes', 'ones'].flatMap((input) =>
      decays.map((decay) => ({
        input,
        variant: `b = ${decay}`,
        measure: 'maxRel' as const,
        caption: `Relative error of the worst average of ${input}, b = ${decay}.`,
      })),
    ),
}
