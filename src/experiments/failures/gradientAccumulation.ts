import { checkInteger } from '../../base/options/index.js'
import { multiSteps, scale } from '../../optimizer/index.js'
import {
  add,
  checkFloatDType,
  type FloatDType,
  ones,
  type Tensor,
  zeros,
} from '../../tensors/tensor/index.js'
import { leavesOf } from '../../tensors/tree/index.js'
import { examination } from './record/examination.js'
import { type DTypeOption, type Failure, failure } from './record/failure.js'
import { blue, overSteps, red, say } from './record/shown.js'

/** The accumulation. */
export interface GradientAccumulationOptions extends DTypeOption {
  /** The dtype of the sum of gradients. Default: that of the gradients. */
  readonly accumulatorDtype?: FloatDType
  /** Micro-batches in a step. Default: 512. */
  readonly microBatches?: number
}

/**
 * Gradients of micro-batches added up in bfloat16: the 257th is lost.
 *
 * Readings  `gradient` that the optimizer is handed (each micro-batch gives 1), `lastCounted`: the last micro-batch that
 *           changed the sum. `multiSteps` with `useGradMean: false`; the stable twin has its default accumulator.
 *
 * @example gradientAccumulation.run().naive.gradient // 256
 */
export const gradientAccumulation: Failure<GradientAccumulationOptions> =
  failure<GradientAccumulationOptions>({
    id: 'gradient-accumulation',
    title: 'Accumulated gradients: 256 + 1 is 256',
    story:
      'A large batch is trained as many micro-batches whose gradients are added up. Added in the dtype of the parameters, bfloat16, the sum of equal gradients stops after 256 of them: the other half of the batch is computed, paid for, and thrown away.',
    source: 'https://github.com/linkedin/Liger-Kernel/pull/830',
    reported:
      'Training with the fused linear cross entropy became worse or diverged; its weight gradients were summed in bfloat16, chunk by chunk. The change lets them accumulate in float32, at the price of memory.',
    repairs: [
      { change: 'a float32 accumulator', options: { accumulatorDtype: 'float32' } },
      { change: 'no more than 256 micro-batches', options: { microBatches: 256 } },
      { change: 'gradients in float32', options: { dtype: 'float32' } },
    ],
    cure: examination(
      'the gradients of 512 micro-batches, added up one by one; wide is an accumulator that is kept wide',
      () => {
        const inputs = {
          total: zeros([1], { dtype: 'bfloat16' }),
          gradient: ones([1], { dtype: 'bfloat16' }),
        }
        return {
          f: accumulated,
          inputs,
          question: 'the sum is 512',
          target: { holds: (g) => g(inputs).item() === 512 },
          groupBy: 'name',
        }
      },
    ),
    options: { dtype: 'optional', accumulatorDtype: 'optional', microBatches: 'optional' },
    run({ dtype = 'bfloat16', accumulatorDtype = dtype, microBatches = 512 }) {
      checkFloatDType(this.id, 'accumulatorDtype', accumulatorDtype)
      checkInteger(this.id, 'microBatches', microBatches, 1, 2 ** 16)
      const naive = accumulate(dtype, accumulatorDtype, microBatches)
      const stable = accumulate(dtype, 'float32', microBatches)
      const [gradient, right] = [naive[microBatches - 1]!, stable[microBatches - 1]!]
      let last = microBatches
      while (last > 1 && naive[last - 1] === naive[last - 2]) last--
      const holds = gradient !== right
      return {
        naive: { gradient, lastCounted: last },
        stable: { gradient: right, lastCounted: microBatches },
        holds,
        text: holds
          ? `${say(microBatches)} micro-batches with gradient 1 add up to ${say(gradient)}: those after number ${say(last)} are lost. A float32 accumulator gives ${say(right)}.`
          : `${say(microBatches)} micro-batches with gradient 1 add up to ${say(gradient)}.`,
        figure: {
          caption: 'The accumulated gradient; each micro-batch gives 1.',
          axes: ['micro-batches', 'sum of gradients'],
          series: [
            blue('float32 accumulator', overSteps(stable), 'no dots'),
            red(`${accumulatorDtype} accumulator`, overSteps(naive), 'no dots'),
          ],
          markers: holds ? [{ x: last, label: `the last that counts: ${last}` }] : [],
        },
      }
    },
  })

/** The sum after each micro-batch; the last one as the optimizer receives it. */
function accumulate(dtype: FloatDType, accumulatorDtype: FloatDType, microBatches: number): number[] {
  const optimizer = multiSteps(scale(1), microBatches, { useGradMean: false, accumulatorDtype })
  const gradient = [ones([1], { dtype })]
  let state = optimizer.init(gradient)
  return Array.from({ length: microBatches }, (_, i) => {
    const [updates, next] = optimizer.update(gradient, state)
    state = next
    return leavesOf(i === microBatches - 1 ? updates : state.accGrads)[0]!.item()
  })
}

/** The sum of one gradient, 512 times. */
function accumulated({ total, gradient }: { readonly [name: string]: Tensor }): Tensor {
  let sums = total!
  for (let i = 0; i < 512; i++) sums = add(sums, gradient!)
  return sums
}
