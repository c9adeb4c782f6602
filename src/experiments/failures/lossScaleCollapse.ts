import { checkNumber } from '../../base/options/index.js'
import { logSoftmax } from '../../numerics/index.js'
import { sgd } from '../../optimizer/index.js'
import { grad } from '../../tensors/autodiff/index.js'
import { type FloatDType, mul, neg, slice, type Tensor, tensor } from '../../tensors/tensor/index.js'
import { dynamicLossScale, storedParams } from '../../training/lowprecision/index.js'
import { type DTypeOption, type Failure, failure } from './record/failure.js'
import { blue, red, say } from './record/shown.js'

/** The model. */
export interface LossScaleCollapseOptions extends DTypeOption {
  /** The largest logit. Default: 90000, beyond float16. */
  readonly logit?: number
}

const steps = 40

/**
 * A loss scale that is halved in every step down to 1: the overflow is in the model, where no scale reaches.
 *
 * Readings  `scale` after 40 steps (2^16 before), `skipped` steps, all `scales`. The stable form is bfloat16.
 *
 * @example lossScaleCollapse.run().naive.scale // 1
 */
export const lossScaleCollapse: Failure<LossScaleCollapseOptions> = failure<LossScaleCollapseOptions>({
  id: 'loss-scale-collapse',
  title: 'The float16 loss scale collapses to 1 and every step is skipped',
  story:
    'Dynamic loss scaling takes a gradient that is not finite as a sign that the scale is too large: it leaves the step out and halves the scale. Here a logit of 90,000 overflows float16, Inf - Inf makes the softmax NaN, and the gradient is NaN at any scale. Sixteen steps later the scale is 1; training goes on, no exception is raised, and no parameter ever moves again.',
  source: 'https://github.com/deepspeedai/DeepSpeed/issues/697',
  reported:
    'With fp16 on, the model does not learn: the log says "Overflow detected. Skipping step" with the scale halved until it is 1 and stays 1. The message names neither the layer nor the operation.',
  repairs: [
    { change: 'bfloat16, which has the range', options: { dtype: 'bfloat16' } },
    { change: 'float32', options: { dtype: 'float32' } },
    { change: 'logits that float16 can hold', options: { logit: 10_000 } },
  ],
  cure: { none: 'the scaled gradients are handed over in float16, which has no number that large' },
  options: { dtype: 'optional', logit: 'optional' },
  run({ dtype = 'float16', logit = 90_000 }) {
    checkNumber(this.id, 'logit', logit, 1, 1e9)
    const naive = train(dtype, logit)
    const stable = train('bfloat16', logit)
    const holds = naive.skipped === steps && naive.scale === 1
    const points = (scales: readonly number[]) => scales.map((y, x) => ({ x, y }))
    return {
      naive,
      stable,
      holds,
      text: holds
        ? `All ${say(steps)} steps are skipped and the scale falls from ${say(naive.scales[0]!)} to ${say(naive.scale)}; in bfloat16 ${say(stable.skipped)} are skipped and it stays at ${say(stable.scale)}.`
        : `${say(naive.skipped)} of ${say(steps)} steps are skipped, and the scale is ${say(naive.scale)}.`,
      figure: {
        caption: 'The loss scale before and after each step.',
        axes: ['step', { label: 'scale', scale: 'log2' }],
        series: [blue('bfloat16', points(stable.scales), 'no dots'), red(dtype, points(naive.scales))],
      },
    }
  },
})

function train(dtype: FloatDType, logit: number): { scale: number; skipped: number; scales: number[] } {
  const side = Math.sqrt(logit)
  const x = tensor(side, { dtype })
  const scaledLoss = ([w]: Tensor[], scale: number): Tensor => {
    const loss = neg(slice(logSoftmax(mul(w!, x)), [1]))
    return mul(loss, scale)
  }
  const stepper = dynamicLossScale(storedParams(sgd({ learningRate: 1e-6 }), { mode: 'master', dtype }))
  let point = stepper.init([tensor([side, side / 2, 0, -side])])
  const scales = [point.state.scale]
  for (let step = 0; step < steps; step++) {
    const grads = grad(scaledLoss)(point.params as Tensor[], point.state.scale)
    point = stepper.step(grads, point)
    scales.push(point.state.scale)
  }
  return { scale: point.state.scale, skipped: point.state.skippedSteps, scales }
}
