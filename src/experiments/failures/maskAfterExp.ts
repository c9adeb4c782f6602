import { checkInteger, checkName, checkNumber } from '../../base/options/index.js'
import { findFirstNonFinite, grad, type NonFinite, record } from '../../tensors/autodiff/index.js'
import {
  cumsum,
  exp,
  full,
  reshape,
  sub,
  sum,
  type Tensor,
  tensor,
  tril,
  where,
} from '../../tensors/tensor/index.js'
import { examination } from './record/examination.js'
import { type DTypeOption, type Failure, failure } from './record/failure.js'
import { blue, overSteps, red, say } from './record/shown.js'

/** The pairwise decays. */
export interface MaskAfterExpOptions extends DTypeOption {
  /** Whether the upper triangle is taken out after exp or before it. Default: 'after'. */
  readonly mask?: 'after' | 'before'
  /** |A| dt of every step. Default: 2. */
  readonly rate?: number
  /** Steps. Default: 64. */
  readonly n?: number
}

/**
 * A mask that comes after exp: the forward pass is right, the gradient is 0 Inf = NaN.
 *
 * Readings  `loss` (the sum of the masked decays), `nanGradients` of n, `exponent`: the one whose exp is the first value that
 *           is not finite, as `findFirstNonFinite` finds it, all gradients by step in `gradients`. The stable twin sets the
 *           exponents above the diagonal to -Inf first.
 *
 * @example maskAfterExp.run().naive.nanGradients // 64
 */
export const maskAfterExp: Failure<MaskAfterExpOptions> = failure<MaskAfterExpOptions>({
  id: 'mask-after-exp',
  title: 'exp, then mask: the loss is finite, the gradient is 0 times Inf',
  story:
    'Decays exp(cs_i - cs_j) are wanted for i after j; the other half of the matrix has positive exponents and is masked away. Masked after exp, it has overflowed to Inf, which the mask replaces by 0, and the loss is right. In the backward pass the mask sends a gradient of 0 to those elements, exp multiplies it by its own result, and 0 times Inf is NaN in every gradient. The mask has to come before exp, as -Inf.',
  source: 'https://jax.readthedocs.io/en/latest/faq.html',
  reported:
    'The FAQ on gradients that contain NaN where using where: the derivative of the branch that is not taken is computed all the same and is NaN; a second where has to be put inside the function, around its argument.',
  repairs: [
    { change: 'the mask before exp', options: { mask: 'before' } },
    { change: 'exponents that do not overflow', options: { rate: 0.5 } },
  ],
  cure: examination('the gradient of decays that are masked after exp; wide is float64', () => {
    const inputs = full([64], -2, { dtype: 'bfloat16' })
    return {
      f: maskedGradient,
      inputs,
      question: 'no gradient is NaN',
      target: { holds: (g) => g(inputs).toNumbers().every(Number.isFinite) },
      // float32 ends where bfloat16 does.
      wide: 'float64',
      groupBy: 'name',
    }
  }),
  options: { dtype: 'optional', mask: 'optional', rate: 'optional', n: 'optional' },
  run({ dtype = 'bfloat16', mask = 'after', rate = 2, n = 64 }) {
    checkName(this.id, 'mask', mask, ['after', 'before'])
    checkNumber(this.id, 'rate', rate, 0, 1000)
    checkInteger(this.id, 'n', n, 1, 256)
    const steps = full([n], -rate, { dtype })
    const naive = sumOfDecays(steps, mask)
    const stable = sumOfDecays(steps, 'before')
    const nanGradients = naive.gradients.filter(Number.isNaN).length
    const holds = nanGradients > 0 && Number.isFinite(naive.loss)
    return {
      naive: {
        loss: naive.loss,
        nanGradients,
        exponent: naive.origin?.operands[0]?.[0] ?? null,
        gradients: naive.gradients,
      },
      stable: {
        loss: stable.loss,
        nanGradients: stable.gradients.filter(Number.isNaN).length,
        gradients: stable.gradients,
      },
      holds,
      text: holds
        ? `The loss is ${say(naive.loss)}, as it should be, and ${say(nanGradients)} of ${say(n)} gradients are NaN${because(naive.origin)}.`
        : `The loss is ${say(naive.loss)} and no gradient is NaN.`,
      figure: {
        caption: 'The gradient by step. A cross at the top is NaN.',
        axes: ['step', 'gradient'],
        series: [
          blue('mask before exp', overSteps(stable.gradients)),
          red(`mask ${mask} exp`, overSteps(naive.gradients)),
        ],
      },
    }
  },
})

/** What happened first and what made a NaN of it, from the record of the run. */
function because(origin: NonFinite | undefined): string {
  const product = origin?.chain.find(({ kind }) => kind === '0 * Inf')
  if (origin === undefined || product === undefined) return ''
  const [x, y] = product.operands.map((operand) => say(operand[0]!))
  return `: ${origin.op}(${say(origin.operands[0]![0]!)}) overflows at [${origin.at.join(', ')}], the mask hides it, and in the backward pass ${x} times ${y} is ${say(product.value)}`
}

interface Sum {
  readonly loss: number
  readonly gradients: number[]
  readonly origin: NonFinite | undefined
}

function sumOfDecays(steps: Tensor, mask: 'after' | 'before'): Sum {
  const n = steps.size
  const lower = tril(tensor(new Float32Array(n * n).fill(1), { shape: [n, n], dtype: 'bool' }))
  const loss = (a: Tensor): Tensor => {
    const sums = cumsum(a)
    const exponents = sub(reshape(sums, [n, 1]), reshape(sums, [1, n]))
    const decays =
      mask === 'after'
        ? where(lower, exp(exponents), 0)
        : exp(where(lower, exponents, Number.NEGATIVE_INFINITY))
    return sum(decays, { accumulate: 'float32' })
  }
  const gradient = grad(loss)(record(steps))
  return {
    loss: loss(steps).item(),
    gradients: [...gradient.toNumbers()],
    origin: findFirstNonFinite(gradient),
  }
}

function maskedGradient(steps: Tensor): Tensor {
  const n = steps.size
  const lower = tril(tensor(new Float32Array(n * n).fill(1), { shape: [n, n], dtype: 'bool' }))
  return grad((a: Tensor) => {
    const sums = cumsum(a)
    const exponents = sub(reshape(sums, [n, 1]), reshape(sums, [1, n]))
    return sum(where(lower, exp(exponents), 0), { accumulate: 'float32' })
  })(steps)
}
