import { checkInteger, checkNumber } from '../../../base/options/index.js'
import { attention, flashAttention } from '../../../models/kernels/index.js'
import { key, normal } from '../../../tensors/random/index.js'
import {
  add,
  cast,
  dtypeFacts,
  eye,
  mul,
  reshape,
  type Tensor,
  tensor,
} from '../../../tensors/tensor/index.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, overSteps, red, say } from '../record/shown.js'

/** The attention; `dtype` is what a tile's state is rounded to, bfloat16 or float32. */
export interface AttentionTiesOptions extends DTypeOption {
  /** What a largest logit that is there several times is multiplied by; 1 leaves it. Default: 1. */
  readonly ties?: number
  /** How many logits of a row are the largest. Default: 2. */
  readonly maxima?: number
  /** How far the others lie below. Default: 14. */
  readonly gap?: number
}

const [rows, width] = [128, 16]

/**
 * Rows with several largest logits: the product of probabilities and values is rounded away from zero more often than not.
 *
 * Readings  `bias`, the mean error in ulps of 2,048 output elements; `rms`; how many lie farther from zero than the exact result,
 *           `away`, and how many nearer, `toward`; the running mean by row in `means`. The stable twin has float32 state.
 *
 * @example attentionTies.run().naive.bias < -0.2 // true
 */
export const attentionTies: Failure<AttentionTiesOptions> = failure<AttentionTiesOptions>({
  id: 'attention-ties',
  title: 'Equal largest logits: bfloat16 attention is biased, always to one side',
  story:
    'Where two logits of a row are the largest, two probabilities are exactly 1, and the numerator is a sum of two values plus something tiny of the other keys. Two bfloat16 values add up to 9 bits, so that half of the sums lie exactly between two bfloat16 numbers, and the tiny rest decides: values that are mostly of one sign push every tie the same way, away from zero. The sum below rounds to exactly 2, so nothing takes the push back. One such row is off by half an ulp, which no one sees; but errors of one sign add up over steps through delta = rowsum(dO O).',
  source: 'https://arxiv.org/abs/2510.04212',
  reported:
    'Why low-precision transformer training fails (Qiu, Yao): the loss of GPT-2 with flash attention in bfloat16 explodes after thousands of steps; traced to the rounding of the product of probabilities and values where several probabilities are 1. Shifting the maximum of such rows, or keeping that product in float32, makes the training stable.',
  repairs: [
    { change: 'the state of a tile in float32', options: { dtype: 'float32' } },
    { change: 'the maximum moved where it is repeated', options: { ties: 7 } },
    { change: 'a single largest logit', options: { maxima: 1 } },
  ],
  cure: {
    none: 'the rounding happens inside one operation, flashAttention, whose form and ties take it out: for the doctor it is one step.',
  },
  options: { dtype: 'optional', ties: 'optional', maxima: 'optional', gap: 'optional' },
  run({ dtype = 'bfloat16', ties = 1, maxima = 2, gap = 14 }) {
    if (dtype !== 'bfloat16' && dtype !== 'float32') {
      throw new RangeError(`${this.id}: a tile's state is bfloat16 or float32 [${dtype}]`)
    }
    checkNumber(this.id, 'ties', ties, 1, 16)
    checkInteger(this.id, 'maxima', maxima, 1, rows)
    checkNumber(this.id, 'gap', gap, 1, 80)
    const naive = readings(dtype, ties, maxima, gap)
    const stable = readings('float32', 1, maxima, gap)
    const holds = Math.abs(naive.bias) >= 0.1
    const off = `The output is off by ${say(naive.bias)} ulps on the mean of ${say(rows * width)} elements`
    return {
      naive,
      stable,
      holds,
      text: holds
        ? `${off}, ${say(naive.away)} of them too far from zero and ${say(naive.toward)} too near; in float32 state by ${say(stable.bias)}.`
        : `${off}: no more than ties that fall either way.`,
      figure: {
        caption: 'The mean error of the outputs up to a row, in ulps.',
        axes: ['row', 'mean error in ulps'],
        series: [
          blue('float32 state', overSteps(stable.means)),
          red(`state ${dtype}, ties ${ties}`, overSteps(naive.means)),
        ],
      },
    }
  },
})

interface Bias {
  readonly [name: string]: number | readonly number[]
  readonly bias: number
  readonly rms: number
  readonly away: number
  readonly toward: number
  readonly means: readonly number[]
}

function readings(dtype: 'bfloat16' | 'float32', ties: number, maxima: number, gap: number): Bias {
  const logits = new Float64Array(rows * rows).fill(2 - gap)
  for (let i = 0; i < rows; i++) {
    for (let t = 0; t < maxima; t++) logits[i * rows + ((i + 37 * t) % rows)] = 2
  }
  // Keys are the unit vectors, so that queries are their own logits.
  const q = tensor(logits, { shape: [1, rows, rows], dtype: 'bfloat16' })
  const k = reshape(eye(rows, { dtype: 'bfloat16' }), [1, rows, rows]) as Tensor<'bfloat16'>
  const v = cast(add(mul(normal(key(7), [1, rows, width]), 0.3), -2.3), 'bfloat16')
  const wide = <T extends Tensor>(x: T): Tensor<'float64'> => cast(x, 'float64')
  const exact = attention(wide(q), wide(k), wide(v), { scale: 1 }).out.toNumbers()
  const form = dtype === 'bfloat16' ? 'bfloat16' : 'flash2'
  const { out } = flashAttention(q, k, v, { scale: 1, form, ...(ties === 1 ? {} : { ties }) })
  const { ulp } = dtypeFacts('bfloat16')
  const errors = Array.from(out.toNumbers(), (y, e) => (y - exact[e]!) / ulp(exact[e]!))
  let total = 0
  const means: number[] = []
  for (const [e, error] of errors.entries()) {
    total += error
    if ((e + 1) % width === 0) means.push(total / (e + 1))
  }
  // Values are negative.
  const [away, toward] = [
    errors.filter((error) => error < 0).length,
    errors.filter((error) => error > 0).length,
  ]
  const squares = errors.reduce((sum, error) => sum + error * error, 0)
  return { bias: total / errors.length, rms: Math.sqrt(squares / errors.length), away, toward, means }
}
