import { checkName, checkNumber } from '../../base/options/index.js'
import { softmax } from '../../numerics/index.js'
import { adamw, applyUpdates, chain, clipByGlobalNorm, zeroNans } from '../../optimizer/index.js'
import { valueAndGrad } from '../../tensors/autodiff/index.js'
import { compile } from '../../tensors/compile/index.js'
import {
  div,
  exp,
  mul,
  slice,
  square,
  stack,
  sub,
  sum,
  type Tensor,
  tensor,
  zeros,
} from '../../tensors/tensor/index.js'
import { leavesOf } from '../../tensors/tree/index.js'
import { type Failure, failure } from './record/failure.js'
import { blue, overSteps, red, say } from './record/shown.js'

/** The model. */
export interface ClipThenZeroNansOptions {
  /** A softmax with or without its maximum subtracted. Default: 'unshifted'. */
  readonly form?: 'unshifted' | 'shifted'
  /** Where the loss pulls the parameter to; beyond 88.72 exp(w) overflows float32. Default: 100. */
  readonly target?: number
}

const steps = 700

/**
 * A run that died and does not say so: NaN gradients become 0, momentum fades, and every bit stays as it is.
 *
 * Readings  `firstNonFinite`: the step whose loss is not finite first; `lastMove`: the step that changed the parameter
 *           last; `badSteps` of 700; the final `parameter` and `loss`. Everything is float32.
 *
 * @example clipThenZeroNans.run().verdict.holds // true
 */
export const clipThenZeroNans: Failure<ClipThenZeroNansOptions> = failure<ClipThenZeroNansOptions>({
  id: 'clip-then-zero-nans',
  title: 'Clip, then zero the NaNs: a dead run goes on',
  story:
    'Here a softmax without its shift overflows as a logit passes 88.72. Once the parameters are in such a place every gradient is NaN: clipping divides all of them by a NaN norm, zeroing makes all of them 0. Adam carries the parameters on by its momentum, in ever smaller steps and further into the bad region, until the steps and the weight decay are under half an ulp; from then on no bit changes. The loss is never finite again and no exception is raised. Zeroing cures a bad batch, not a bad state.',
  source: 'https://github.com/pytorch/pytorch/issues/46849',
  reported:
    'clip_grad_norm_ passes silently when the norm is not finite and turns the gradients into NaN or 0; some want exactly that, since it drops a bad batch, others see a run that trains no more and says nothing. The thread settles on an error that has to be asked for.',
  repairs: [
    { change: 'a softmax with its shift: no overflow', options: { form: 'shifted' } },
    { change: 'parameters that stay below the overflow', options: { target: 80 } },
  ],
  cure: { none: 'the run is in float32 already: exp overflows there' },
  options: { form: 'optional', target: 'optional' },
  run({ form = 'unshifted', target = 100 }) {
    checkName(this.id, 'form', form, ['unshifted', 'shifted'])
    checkNumber(this.id, 'target', target, 1, 1000)
    const naive = train(form, target)
    const stable = train('shifted', target)
    const { firstNonFinite, lastMove, badSteps, parameter, loss } = naive.readings
    const dead = firstNonFinite !== null && badSteps === steps - firstNonFinite + 1
    const holds = dead && lastMove < steps
    return {
      naive: naive.readings,
      stable: stable.readings,
      holds,
      text: holds
        ? `The loss is not finite in step ${say(firstNonFinite)} and in all ${say(badSteps - 1)} after it. The parameter drifts on until step ${say(lastMove)}; then no bit of it changes.`
        : `All losses are finite; the parameter ends at ${say(parameter)}, the loss at ${say(loss)}.`,
      figure: {
        caption: `The parameter; the loss pulls it to ${say(target)}, learning rate 2.75e-4.`,
        axes: ['step', 'parameter w'],
        series: [
          blue('shifted softmax', overSteps(stable.path), 'no dots'),
          red(`${form} softmax, as run`, overSteps(naive.path), 'no dots'),
        ],
        markers:
          firstNonFinite === null
            ? []
            : [
                { x: firstNonFinite, label: 'first NaN' },
                { x: lastMove, label: 'frozen' },
              ],
      },
    }
  },
})

type Run = {
  readings: {
    firstNonFinite: number | null
    lastMove: number
    badSteps: number
    parameter: number
    loss: number
  }
  path: number[]
}

function train(form: 'unshifted' | 'shifted', target: number): Run {
  const optimizer = chain(clipByGlobalNorm(1), zeroNans(), adamw({ learningRate: 2.75e-4 }))
  const lossOf = (w: Tensor): Tensor => {
    const logits = stack([w, zeros([])])
    const e = exp(logits)
    const shares = form === 'unshifted' ? div(e, sum(e)) : softmax(logits)
    return mul(slice(shares, [0]), square(sub(div(w, target), 1)))
  }
  const both = compile(valueAndGrad(lossOf))
  let w: Tensor = tensor(88.6)
  let state = optimizer.init([w])
  const path: number[] = []
  const losses: number[] = []
  for (let step = 1; step <= steps; step++) {
    const [loss, gradient] = both(w)
    const [updates, next] = optimizer.update([gradient], state, [w])
    w = leavesOf(applyUpdates([w], updates))[0]!
    state = next
    path.push(w.item())
    losses.push(loss.item())
  }
  const first = losses.findIndex((loss) => !Number.isFinite(loss))
  let last = steps
  while (last > 1 && path[last - 1] === path[last - 2]) last--
  return {
    readings: {
      firstNonFinite: first === -1 ? null : first + 1,
      lastMove: last,
      badSteps: losses.filter((loss) => !Number.isFinite(loss)).length,
      parameter: path.at(-1)!,
      loss: losses.at(-1)!,
    },
    path,
  }
}
