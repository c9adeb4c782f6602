import { checkInteger, checkNumber } from '../../base/options/index.js'
import { incrementalUpdate } from '../../optimizer/index.js'
import { add, type FloatDType, mul, ones, sub, type Tensor, zeros } from '../../tensors/tensor/index.js'
import { leavesOf, type Tree } from '../../tensors/tree/index.js'
import { examination } from './record/examination.js'
import { type DTypeOption, type Failure, failure } from './record/failure.js'
import { blue, overSteps, red, say } from './record/shown.js'

/** The mean. */
export interface EmaStallOptions extends DTypeOption {
  /** The share of the target that is kept in a step. Default: 0.996. */
  readonly tau?: number
  /** Default: 3000. */
  readonly steps?: number
}

/**
 * A moving average of weights that stops short of them.
 *
 * Readings  `target` after all steps (the online weight is 1, the target begins at 0), `gap` = 1 - target, `lastChange`:
 *           the step that moved it last. The stable form is kept in float32.
 *
 * @example emaStall.run().naive.gap > 0.1 // true
 */
export const emaStall: Failure<EmaStallOptions> = failure<EmaStallOptions>({
  id: 'ema-stall',
  title: 'A moving average of weights stops short of them',
  story:
    'An average that keeps 0.996 of itself moves by 0.004 of the remaining gap. Once that is under half an ulp of the average the step is rounded away, and the average stands still with the gap open: the evaluated model is not an average of the trained one.',
  source: 'https://github.com/d8ahazard/sd_dreambooth_extension/pull/1415',
  reported:
    'Averages of weights kept in float16 or bfloat16: updates around a thousandth of the weight are nearly all rounded to nothing and the averaged model never follows. The patch keeps the average in float32.',
  repairs: [
    { change: 'the average in float32', options: { dtype: 'float32' } },
    { change: 'a faster average, tau = 0.5', options: { tau: 0.5 } },
  ],
  cure: examination(
    'a moving average that keeps 0.996 of itself, 1,200 steps; wide is an average that is kept wide',
    () => {
      const inputs = { target: zeros([1], { dtype: 'bfloat16' }), online: ones([1], { dtype: 'bfloat16' }) }
      return {
        f: average,
        inputs,
        question: 'the average within a hundredth of the weight',
        target: { holds: (g) => 1 - g(inputs).item() <= 0.01 },
        groupBy: 'name',
      }
    },
  ),
  options: { dtype: 'optional', tau: 'optional', steps: 'optional' },
  run({ dtype = 'bfloat16', tau = 0.996, steps = 3000 }) {
    checkNumber(this.id, 'tau', tau, 0, 1)
    checkInteger(this.id, 'steps', steps, 1, 100_000)
    const naive = follow(dtype, tau, steps)
    const stable = follow('float32', tau, steps)
    const [target, right] = [naive[steps]!, stable[steps]!]
    const last = lastChange(naive)
    const holds = last < steps && 1 - target > 0.01 && 1 - target > 2 * (1 - right)
    return {
      naive: { target, gap: 1 - target, lastChange: last },
      stable: { target: right, gap: 1 - right, lastChange: lastChange(stable) },
      holds,
      text: holds
        ? `The average moves last in step ${say(last)} of ${say(steps)} and stays at ${say(target)}, ${say(1 - target)} short of the weight; in float32 it comes within ${say(1 - right)}.`
        : `After ${say(steps)} steps the average is ${say(target)}, ${say(1 - target)} short of the weight; in float32 ${say(1 - right)}.`,
      figure: {
        caption: `The online weight is 1 from the start; tau = ${tau}.`,
        axes: ['step', 'average'],
        series: [
          blue('float32', overSteps(stable, 0), 'no dots'),
          red(dtype, overSteps(naive, 0), 'no dots'),
        ],
        markers: holds ? [{ x: last, label: `stands still at ${say(target)}` }] : [],
      },
    }
  },
})

function follow(dtype: FloatDType, tau: number, steps: number): number[] {
  const online = [ones([1], { dtype })]
  let target: Tree = [zeros([1], { dtype })]
  const seen = [0]
  for (let step = 0; step < steps; step++) {
    target = incrementalUpdate(online, target, 1 - tau)
    seen.push(leavesOf(target)[0]!.item())
  }
  return seen
}

/** The step that changed the value last; 0 where none did. */
function lastChange(values: readonly number[]): number {
  let i = values.length - 1
  while (i > 0 && values[i] === values[i - 1]) i--
  return i
}

function average({ target, online }: { readonly [name: string]: Tensor }): Tensor {
  let kept: Tensor = target!
  for (let i = 0; i < 1200; i++) kept = add(kept, mul(sub(online!, kept), 1 - 0.996))
  return kept
}
