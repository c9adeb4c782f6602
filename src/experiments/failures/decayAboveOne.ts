import { checkFlag, checkInteger } from '../../base/options/index.js'
import { exponential, key } from '../../tensors/random/index.js'
import {
  cumsum,
  exp,
  max,
  minimum,
  mul,
  type Order,
  reshape,
  sub,
  type Tensor,
  tensor,
  tril,
} from '../../tensors/tensor/index.js'
import { examination } from './record/examination.js'
import { type DTypeOption, type Failure, failure } from './record/failure.js'
import { red, say } from './record/shown.js'

/** How the cumulative sum is taken. */
export interface DecayAboveOneOptions extends DTypeOption {
  /** Default: 'associative', a parallel prefix scan. */
  readonly order?: Order
  /** Exponents above 0 are set to 0 before exp. Default: false. */
  readonly clamp?: boolean
  /** Steps. Default: 256. */
  readonly n?: number
}

/**
 * A decay exp(cs_i - cs_j), i >= j, that grows: in a parallel scan each prefix is rounded along its own tree, so that the
 * sums of negative numbers do not descend.
 *
 * Readings  `maxDecay` over all pairs, `rising`: how many prefixes lie above the one before; the stable form adds left
 *           to right, where rounding is monotone.
 *
 * @example decayAboveOne.run().naive.maxDecay > 1 // true
 */
export const decayAboveOne: Failure<DecayAboveOneOptions> = failure<DecayAboveOneOptions>({
  id: 'decay-above-one',
  title: 'exp(cs_i - cs_j) is a decay, and comes out above 1',
  story:
    'The sums cs of negative numbers descend, so exp(cs_i - cs_j) with i after j is at most 1. A parallel prefix scan adds each prefix along another tree and rounds it by itself: two neighbours can change places by a few ulps, and with sums beyond a thousand an ulp of bfloat16 is 8, so the decay is exp(8) instead of at most 1. States grow, then overflow.',
  source: 'https://github.com/vllm-project/vllm/pull/37501',
  reported:
    'Mamba-2 kernels: with large |A| the parallel tl.cumsum made a difference of cumulative sums slightly positive that is never positive in exact arithmetic; exp overflowed, and the state held Inf and then NaN. Clamping the difference at 0 brought the NaN rate to 0 %.',
  repairs: [
    { change: 'sequential order: rounding is monotone', options: { order: 'sequential' } },
    { change: 'differences clamped at 0', options: { clamp: true } },
    { change: 'float32', options: { dtype: 'float32' } },
  ],
  cure: examination('decays exp(cs_i - cs_j) from an associative scan', () => {
    const inputs = mul(tensor(exponential(key(3), 256), { dtype: 'bfloat16' }), -8)
    return {
      f: decays,
      inputs,
      question: 'no decay is above 1',
      target: { holds: (g) => max(g(inputs)).item() <= 1 },
    }
  }),
  options: { dtype: 'optional', order: 'optional', clamp: 'optional', n: 'optional' },
  run({ dtype = 'bfloat16', order = 'associative', clamp = false, n = 256 }) {
    checkFlag(this.id, 'clamp', clamp)
    checkInteger(this.id, 'n', n, 2, 1024)
    const dt = tensor(exponential(key(3), n), { dtype })
    const steps = mul(dt, -8)
    const decays = (sums: Tensor, bounded: boolean): Tensor => {
      const difference = sub(reshape(sums, [n, 1]), reshape(sums, [1, n]))
      // Above the diagonal the difference is positive by right; 0 there stands for a decay of 1, which is no failure.
      const lower = tril(difference)
      return exp(bounded ? minimum(lower, 0) : lower)
    }
    const sums = cumsum(steps, { order })
    const ordered = cumsum(steps)
    const values = sums.toNumbers()
    const decay = decays(sums, clamp)
    const [maxDecay, stableMax] = [max(decay).item(), max(decays(ordered, false)).item()]
    const all = decay.toNumbers()
    const neighbours = Array.from({ length: n - 1 }, (_, i) => ({ x: i + 2, y: all[(i + 1) * n + i]! }))
    const rising = values.filter((value, i) => i > 0 && value > values[i - 1]!).length
    const holds = !(maxDecay <= 1)
    const first = neighbours.find(({ y }) => !(y <= 1))
    return {
      naive: { maxDecay, rising, firstRise: first?.x ?? null },
      stable: { maxDecay: stableMax, rising: 0 },
      holds,
      text: holds
        ? `${say(rising)} of ${say(n)} prefixes lie above the one before them, the first at step ${first ? say(first.x) : 'none'}; the largest decay is ${say(maxDecay)}, added left to right it is ${say(stableMax)}.`
        : `The largest decay is ${say(maxDecay)}.`,
      figure: {
        kind: 'scatter',
        caption: `The decay over one step, exp(cs_i - cs_(i-1)), in ${dtype}. Above 1 it is growth.`,
        axes: ['step i', { label: 'decay', scale: 'log10' }],
        series: [
          red('as computed', neighbours),
          {
            name: '1',
            color: 'grey',
            points: [
              { x: 2, y: 1 },
              { x: n, y: 1 },
            ],
            dashed: true,
          },
        ],
      },
    }
  },
})

function decays(steps: Tensor): Tensor {
  const n = steps.size
  const sums = cumsum(steps, { order: 'associative' })
  return exp(tril(sub(reshape(sums, [n, 1]), reshape(sums, [1, n]))))
}
