import { readable } from '../../../base/text/index.js'
import type { FormatName } from '../../../numbers/formats/index.js'
import { emaUpdate } from '../../../optimizer/index.js'
import { cast, type FloatDType, type Tensor, tensor } from '../../../tensors/tensor/index.js'
import { leavesOf } from '../../../tensors/tree/index.js'
import { atLongest, formatNumber } from '../lab/formatNumber.js'
import { type Operation, powersOfTwo } from '../lab/operation.js'

const taus = [0.9, 0.99, 0.996, 0.999] as const
const [from, to] = [0.5, 1] as const

/** The target after each step toward an online weight that stalls, kept in one dtype, seen in another. */
function followed(tau: number, steps: number, dtype: FormatName, kept: FloatDType): Tensor {
  const online = [tensor([to], { dtype })]
  let target: Tensor = tensor([from], { dtype: kept })
  const seen = Float64Array.from({ length: steps }, () => {
    target = leavesOf(emaUpdate([target], online, { tau }))[0]!
    return cast(target, dtype).item()
  })
  return tensor(seen, { dtype })
}

/** Target networks: where a moving average of weights stops moving. */
export const targetCase: Operation = {
  name: 'target',
  title: 'Target network',
  about:
    'A target weight of 0.5 that follows an online weight of 1 by target = tau target + (1 - tau) online, after every step. Naive: the target kept in the dtype, products and sum rounded to it. Stable: kept in float32, each rounded once where it is seen.',
  lengthName: 'steps',
  lengths: powersOfTwo(16, 4096),
  running: true,
  training: true,
  growth: 'maxAbs',
  trials: (lab) => {
    const longest = Math.max(...lab.lengths)
    return taus.flatMap((tau) => {
      const ways = {
        naive: followed(tau, longest, lab.dtype, lab.dtype),
        stable: followed(tau, longest, lab.dtype, 'float32'),
      }
      const reference = Float64Array.from({ length: longest }, (_, i) => to + (from - to) * tau ** (i + 1))
      return lab.lengths.map((length) => () => ({
        variant: `tau = ${tau}`,
        input: '0.5 to 1',
        length,
        reference: reference.subarray(0, length),
        ways: (['naive', 'stable'] as const).map((role) => ({
          name: role,
          role,
          compute: () => tensor(ways[role].toNumbers().subarray(0, length), { dtype: lab.dtype }),
        })),
      }))
    })
  },
  finding: (rows, dtype) => {
    const variant = 'tau = 0.996'
    const naive = atLongest(rows, { variant, way: 'naive' })
    const stable = atLongest(rows, { variant, way: 'stable' })
    if (!naive || !stable) return ''
    const stops = naive.stallIndex === null ? 'ends' : `stops after step ${readable(naive.stallIndex)}`
    return `With tau 0.996 a ${dtype} target on its way from 0.5 to 1 ${stops} at ${formatNumber(naive.last, 4)}; kept in float32 it is at ${formatNumber(stable.last, 4)} after ${readable(naive.length)} steps, where ${formatNumber(naive.lastReference, 4)} is right.`
  },
  figures: () =>
    taus.map((tau) => ({
      input: '0.5 to 1',
      variant: `tau = ${tau}`,
      measure: 'maxAbs' as const,
      caption: `Largest distance of the target from the exact one, tau = ${tau}.`,
    })),
}
