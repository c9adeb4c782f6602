import { readable } from '../../../base/text/index.js'
import { variance } from '../../../numerics/index.js'
import { normalDraws } from '../lab/driftInputs.js'
import { atLongest, formatNumber } from '../lab/formatNumber.js'
import { type Operation, powersOfTwo } from '../lab/operation.js'
import { exactMoments } from '../lab/reference.js'
import { sequence } from '../lab/sequences.js'

const offsets = [0, 10, 100] as const

/** The variance of numbers around an offset, three ways and the way out. */
export const varianceCase: Operation = {
  name: 'variance',
  title: 'Variance',
  about:
    'The mean square distance from the mean (divided by n) of standard normal numbers around an offset. One-pass is mean(x x) - mean(x)^2; two-pass centres first; Welford updates mean and squares together: these three round every operation to the dtype. Stable: two-pass in float32, rounded once.',
  lengthName: 'length',
  lengths: powersOfTwo(16, 65_536),
  running: false,
  growth: 'maxAbs',
  trials: (lab) => {
    const draws = normalDraws(lab.seed, 5, lab.lengths.at(-1) ?? 0)
    return offsets.flatMap((offset) => {
      const { values, start } = sequence(
        'normal',
        draws.map((z) => offset + z),
        lab.dtype,
      )
      return lab.lengths.map((length) => () => {
        const x = start(length)
        const naive = { internal: lab.dtype, accumulate: lab.dtype }
        return {
          variant: `offset ${offset}`,
          input: 'normal',
          length,
          reference: Float64Array.of(exactMoments(values.subarray(0, length)).variance),
          ways: [
            {
              name: 'one-pass',
              role: 'naive' as const,
              compute: () => variance(x, { ...naive, method: 'one-pass' }),
            },
            { name: 'two-pass', role: 'other' as const, compute: () => variance(x, naive) },
            {
              name: 'welford',
              role: 'other' as const,
              compute: () => variance(x, { ...naive, method: 'welford' }),
            },
            {
              name: 'stable',
              role: 'stable' as const,
              compute: () => variance(x, { internal: 'float32' }),
            },
          ],
        }
      })
    })
  },
  finding: (rows, dtype) => {
    const at = (way: string) => atLongest(rows, { variant: 'offset 100', way })
    const naive = at('one-pass')
    if (!naive) return ''
    const negative = rows.filter((row) => row.last < 0)
    const below = negative.length === 0 ? '' : `; ${negative.length} of ${rows.length} results are negative`
    return `Around an offset of 100 the ${dtype} variance of ${readable(naive.length)} numbers is ${formatNumber(naive.last)} in one pass, ${formatNumber(at('two-pass')?.last)} in two, ${formatNumber(at('welford')?.last)} by Welford's update and ${formatNumber(at('stable')?.last)} in float32, where ${formatNumber(naive.lastReference)} is right${below}.`
  },
  figures: () =>
    offsets.map((offset) => ({
      input: 'normal',
      variant: `offset ${offset}`,
      measure: 'maxAbs' as const,
      caption: `Numbers of variance 1 around ${offset}.`,
    })),
}
