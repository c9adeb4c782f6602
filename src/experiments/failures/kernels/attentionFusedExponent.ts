import { checkName, checkNumber } from '../../../base/options/index.js'
import { type FlashOptions, flashAttention } from '../../../models/kernels/index.js'
import { float32Unary, fmaFloat32 } from '../../../numbers/functions/index.js'
import { full } from '../../../tensors/tensor/index.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, red, say } from '../record/shown.js'

/** The attention of queries, keys and values that are one number; `dtype` theirs. */
export interface AttentionFusedExponentOptions extends DTypeOption {
  /** How the exponential is taken. Default: '2', with a fused multiply-add. */
  readonly exponent?: NonNullable<FlashOptions['exponent']>
  /** The number. Default: 133120. */
  readonly value?: number
}

const d = 64
const { fround } = Math
const c = fround(0.125 * fround(Math.LOG2E))

/**
 * exp2(s c - m c) by a fused multiply-add: at s = m the exponent is the rounding of m c, not 0.
 *
 * Readings  `notFinite`, how many of 256 outputs; `exponent` of the largest logit, which has to be 0; `probability`, exp2 of
 *           it. The stable twin rounds the product s c too.
 *
 * @example attentionFusedExponent.run().naive.notFinite // 256
 */
export const attentionFusedExponent: Failure<AttentionFusedExponentOptions> =
  failure<AttentionFusedExponentOptions>({
    id: 'attention-fused-exponent',
    title: 'exp2(s c - m c) with a fused multiply-add: the largest logit is not 2^0',
    story:
      'Attention kernels compute exp(s - m) as exp2(s c - m c) with c = log2 e times scale, because a fused multiply-add does s c - m c in one instruction, and m c is there already, rounded. At s = m the instruction subtracts the rounded product from the exact one: what is left is the rounding error of m c, half an ulp of a number that grows with the logit. Logits near 10^11, which diverging inputs reach, leave an exponent in the thousands, and its power is infinite. Rounding s c as well, with no fusion, makes the difference 0 exactly.',
    source: 'https://github.com/pytorch/pytorch/issues/121558',
    reported:
      'FlashAttention gives NaN for bfloat16 queries, keys and values of 133120 everywhere, where the other backends give 133120; PyTorch has compiled that multiply-add unfused since.',
    repairs: [
      { change: 'a product and a difference, both rounded', options: { exponent: '2-unfused' } },
      { change: 'exp(s - m)', options: { exponent: 'e' } },
      { change: 'logits of ordinary size', options: { value: 16 } },
    ],
    cure: {
      none: 'nothing is too narrow: the fused operation is the more exact one. Only the same rounding on both sides of the difference helps.',
    },
    options: { dtype: 'optional', exponent: 'optional', value: 'optional' },
    run({ dtype = 'bfloat16', exponent = '2', value = 133120 }) {
      checkName(this.id, 'exponent', exponent, ['e', '2', '2-unfused'])
      checkNumber(this.id, 'value', value, 1, 2 ** 40)
      const readings = (of: NonNullable<FlashOptions['exponent']>) => {
        const x = full([1, 4, d], value, { dtype })
        const out = flashAttention(x, x, x, { exponent: of, scale: 0.125 }).out.toNumbers()
        const left = of === '2' ? exponentOf(x.toNumbers()[0]!) : 0
        return {
          notFinite: out.filter((y) => !Number.isFinite(y)).length,
          exponent: left,
          probability: float32Unary.exp2(left),
        }
      }
      const [naive, stable] = [readings(exponent), readings('2-unfused')]
      const holds = naive.notFinite > 0
      const sizes = Array.from({ length: 37 }, (_, k) => 2 ** (k / 2))
      return {
        naive,
        stable,
        holds,
        text: holds
          ? `The largest logit has the exponent ${say(naive.exponent)} instead of 0, its probability is ${say(naive.probability)}, and ${say(naive.notFinite)} of 256 outputs are not finite.`
          : `The largest logit has the exponent ${say(naive.exponent)}, and all outputs are finite.`,
        figure: {
          caption:
            'The exponent of the largest logit, which has to be 0, by the number that queries and keys consist of.',
          axes: [{ label: 'queries and keys', scale: 'log2' }, 'exponent'],
          series: [
            blue(
              'unfused',
              sizes.map((x) => ({ x, y: 0 })),
            ),
            red(
              'fused',
              sizes.map((x) => ({ x, y: exponentOf(fround(x)) })),
            ),
          ],
        },
      }
    },
  })

/** s c - m c by a fused multiply-add, m = s the float32 sum of d products. */
function exponentOf(value: number): number {
  let s = 0
  for (let k = 0; k < d; k++) s = fround(s + value * value)
  return fmaFloat32(s, c, -fround(s * c))
}
