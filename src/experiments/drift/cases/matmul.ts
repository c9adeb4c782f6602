import { readable } from '../../../base/text/index.js'
import { naiveMatmul, stableMatmul } from '../../../numerics/index.js'
import { tensor } from '../../../tensors/tensor/index.js'
import { boundOf, largestDot } from '../lab/bounds.js'
import { normalDraws } from '../lab/driftInputs.js'
import { atLongest, formatNumber, outcome } from '../lab/formatNumber.js'
import { type Operation, powersOfTwo } from '../lab/operation.js'
import { exactMatmul } from '../lab/reference.js'
import { sequence } from '../lab/sequences.js'

const size = 8

/** Matrix products of growing inner length. */
export const matmulCase: Operation = {
  name: 'matmul',
  title: 'Matrix product',
  about: `[${size}, K] x [K, ${size}]: dot products of length K. Naive: every product and every sum rounded to the dtype. Stable: accumulated in float32, rounded once, as matrix units do.`,
  lengthName: 'K',
  lengths: powersOfTwo(16, 16_384),
  running: false,
  growth: 'maxAbs',
  trials: (lab) => {
    const longest = lab.lengths.at(-1) ?? 0
    const draws = [
      normalDraws(lab.seed, 3, size * longest),
      normalDraws(lab.seed, 4, size * longest),
    ] as const
    const inputs: Readonly<Record<string, (z: number) => number>> = {
      normal: (z) => z,
      positive: (z) => Math.abs(z),
    }
    return Object.entries(inputs).flatMap(([input, map]) =>
      lab.lengths.map((k) => () => {
        const [left, right] = draws.map(
          (z) => sequence('', z.subarray(0, size * k).map(map), lab.dtype).values,
        )
        const how = { n: k, dtype: lab.dtype }
        const sumAbs = largestDot(left!, right!, size, k, size)
        const a = tensor(left!, { dtype: lab.dtype, shape: [size, k] })
        const b = tensor(right!, { dtype: lab.dtype, shape: [k, size] })
        return {
          variant: '',
          input,
          length: k,
          reference: exactMatmul(left!, right!, size, k, size),
          ways: [
            {
              name: 'naive',
              role: 'naive' as const,
              compute: () => naiveMatmul(a, b),
              bound: () => boundOf('dot', { ...how, accumulate: lab.dtype }, sumAbs),
            },
            {
              name: 'stable',
              role: 'stable' as const,
              compute: () => stableMatmul(a, b),
              bound: () => boundOf('dot', how, sumAbs),
            },
          ],
        }
      }),
    )
  },
  finding: (rows, dtype) => {
    const naive = atLongest(rows, { input: 'positive', way: 'naive' })
    const stable = atLongest(rows, { input: 'positive', way: 'stable' })
    if (!naive || !stable) return ''
    return `With K = ${readable(naive.length)} positive terms a dot product accumulated in ${dtype} comes to ${outcome(naive, dtype)}, where ${formatNumber(naive.lastReference, 4)} is right; accumulated in float32 to ${outcome(stable, dtype)}.`
  },
  figures: () =>
    ['normal', 'positive'].flatMap((input) => [
      {
        input,
        variant: '',
        measure: 'maxAbs' as const,
        caption:
          input === 'normal'
            ? 'Standard normal entries: terms cancel, and the bound, which cannot know that, is far above.'
            : 'Absolute values of the same entries: nothing cancels.',
      },
      {
        input,
        variant: '',
        measure: 'maxUlps' as const,
        caption: `The same in ulps, ${input} entries.`,
      },
    ]),
}
