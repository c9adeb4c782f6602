import { checkInteger, checkNumber } from '../../base/options/index.js'
import { sgd } from '../../optimizer/index.js'
import { key } from '../../tensors/random/index.js'
import { cast, type FloatDType, mean, mul, ones, sub, type Tensor } from '../../tensors/tensor/index.js'
import { leavesOf } from '../../tensors/tree/index.js'
import { type StorageMode, storedParams } from '../../training/lowprecision/index.js'
import { examination } from './record/examination.js'
import { type DTypeOption, type Failure, failure } from './record/failure.js'
import { blue, overSteps, red, say } from './record/shown.js'

/** How the weights are kept. */
export interface UpdateUnderHalfUlpOptions extends DTypeOption {
  /** How a weight takes its update. Default: 'nearest'. */
  readonly mode?: StorageMode
  /** Default: 0.001. */
  readonly learningRate?: number
  /** Default: 500. */
  readonly steps?: number
}

const weights = 64

/**
 * Weights that do not move: every update is under half an ulp of them.
 *
 * Readings  `weight` (the mean of 64 that begin at 1 and have gradient 1) and `moved`: the steps that changed it. The
 *           stable twin keeps the weights in float32.
 *
 * @example updateUnderHalfUlp.run().naive.moved // 0
 */
export const updateUnderHalfUlp: Failure<UpdateUnderHalfUlpOptions> = failure<UpdateUnderHalfUlpOptions>({
  id: 'update-under-half-ulp',
  title: 'Updates under half an ulp leave the weights where they are',
  story:
    'Just below 1 the bfloat16 numbers are 1/256 apart. A step of 0.001 is nearer to no step than to the next number, and is rounded away; so is the next, and all of them, although together they would halve the weight. The gradient is right, the optimizer is right, the loss stands still.',
  source: 'https://arxiv.org/abs/2010.06192',
  reported:
    'Revisiting BFloat16 Training: rounding to nearest in the weight update cancels small updates and costs accuracy; stochastic rounding or Kahan summation in the update recovers it.',
  repairs: [
    { change: 'a float32 master copy', options: { mode: 'master' } },
    { change: 'Kahan compensation, still bfloat16', options: { mode: 'kahan' } },
    { change: 'stochastic rounding, still bfloat16', options: { mode: 'stochastic' } },
    { change: 'weights in float32', options: { dtype: 'float32' } },
    { change: 'steps of more than half an ulp', options: { learningRate: 0.004, steps: 125 } },
  ],
  cure: examination(
    'a weight that 500 steps of 0.001 lead from 1 to 0.5; wide is a weight that is kept wide',
    () => {
      const inputs = { weight: ones([1], { dtype: 'bfloat16' }), gradient: ones([1], { dtype: 'bfloat16' }) }
      return {
        f: descended,
        inputs,
        question: 'the weight within a hundredth of 0.5',
        target: { holds: (g) => Math.abs(g(inputs).item() - 0.5) <= 0.01 },
        groupBy: 'name',
      }
    },
  ),
  options: { dtype: 'optional', mode: 'optional', learningRate: 'optional', steps: 'optional' },
  run({ dtype = 'bfloat16', mode = 'nearest', learningRate = 0.001, steps = 500 }) {
    checkNumber(this.id, 'learningRate', learningRate, 0, 1)
    checkInteger(this.id, 'steps', steps, 1, 10_000)
    const naive = descend(dtype, mode, learningRate, steps)
    const stable = descend('float32', 'nearest', learningRate, steps)
    const [weight, right] = [naive[steps]!, stable[steps]!]
    const [moved, stableMoved] = [changes(naive), changes(stable)]
    const holds = moved === 0 && stableMoved > 0
    return {
      naive: { weight, moved },
      stable: { weight: right, moved: stableMoved },
      holds,
      text: holds
        ? `None of ${say(steps)} steps of ${learningRate} changes a weight of ${say(weight)}; in float32 it goes to ${say(right)}.`
        : `${say(moved)} of ${say(steps)} steps of ${learningRate} change the weight: it goes to ${say(weight)}, in float32 to ${say(right)}.`,
      figure: {
        caption: `${weights} weights that begin at 1 with gradient 1; their mean.`,
        axes: ['step', 'weight'],
        series: [
          blue('float32', overSteps(stable, 0), 'no dots'),
          red(`${dtype}, ${mode}`, overSteps(naive, 0), 'no dots'),
        ],
      },
    }
  },
})

/** The mean weight before the first step and after each. */
function descend(dtype: FloatDType, mode: StorageMode, learningRate: number, steps: number): number[] {
  const random = mode === 'stochastic' ? { random: key(7) } : {}
  const stepper = storedParams(sgd({ learningRate }), { mode, dtype, ...random })
  const gradient = [ones([weights])]
  let point = stepper.init([ones([weights])])
  const seen = [1]
  for (let step = 0; step < steps; step++) {
    point = stepper.step(gradient, point)
    seen.push(mean(cast(leavesOf(point.params)[0]!, 'float64')).item())
  }
  return seen
}

function changes(values: readonly number[]): number {
  return values.filter((value, i) => i > 0 && value !== values[i - 1]).length
}

function descended({ weight, gradient }: { readonly [name: string]: Tensor }): Tensor {
  let w = weight!
  for (let i = 0; i < 500; i++) w = sub(w, mul(gradient!, 0.001))
  return w
}
