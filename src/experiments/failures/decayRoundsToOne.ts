import { checkInteger, checkNumber } from '../../base/options/index.js'
import {
  add,
  concat,
  exp,
  type FloatDType,
  full,
  mul,
  neg,
  type Tensor,
  tensor,
} from '../../tensors/tensor/index.js'
import { examination } from './record/examination.js'
import { type DTypeOption, type Failure, failure } from './record/failure.js'
import { blue, overSteps, red, say } from './record/shown.js'

/** The recurrence. */
export interface DecayRoundsToOneOptions extends DTypeOption {
  /** |A| dt, the rate of the decay per step. Default: 0.001. */
  readonly rate?: number
  /** Steps with input 1; as many times 30 follow with input 0. Default: 100. */
  readonly inputSteps?: number
}

/**
 * A state-space model whose A has gone to 0: the decay exp(A dt) rounds to 1 and the state h = decay h + x is a plain
 * accumulator that forgets nothing.
 *
 * Readings  `decay`, `afterInput` (the state when the input ends), `final` (30 times as long after it).
 *
 * @example decayRoundsToOne.run().naive.decay // 1
 */
export const decayRoundsToOne: Failure<DecayRoundsToOneOptions> = failure<DecayRoundsToOneOptions>({
  id: 'decay-rounds-to-one',
  title: 'A -> 0: the decay rounds to 1 and the state only accumulates',
  story:
    'A layer that should remember long learns a small |A|. exp(-0.001) is 0.9990, closer to 1 than to the next bfloat16 below, 0.9961: the decay is exactly 1, and the recurrence h = decay h + x adds up whatever it is given, for ever. In bfloat16 such a state stalls, in float16 it overflows.',
  source: 'https://github.com/state-spaces/mamba/pull/996',
  reported:
    'Long-range tasks push A_log down until A is nearly 0 and exp(dt A) nearly 1: the model has become an accumulator, its state grows without bound and overflows float16 to a NaN loss. The patch keeps |A| from 0.',
  repairs: [
    { change: 'decay and state in float32', options: { dtype: 'float32' } },
    { change: 'a rate that bfloat16 can tell from 0', options: { rate: 0.01 } },
  ],
  cure: examination('the recurrence h = exp(-0.001) h + x, 30 inputs and 900 steps without', () => {
    const inputs = tensor([0.001], { dtype: 'bfloat16' })
    return {
      f: recurrence,
      inputs,
      question: 'the state falls below half of what it was when the input ended',
      target: {
        holds: (g) => {
          const [end, final] = g(inputs).toNumbers()
          return final! < end! / 2
        },
      },
      groupBy: 'name',
    }
  }),
  options: { dtype: 'optional', rate: 'optional', inputSteps: 'optional' },
  run({ dtype = 'bfloat16', rate = 0.001, inputSteps = 100 }) {
    checkNumber(this.id, 'rate', rate, 0, 1)
    checkInteger(this.id, 'inputSteps', inputSteps, 1, 1000)
    const naive = states(dtype, rate, inputSteps)
    const stable = states('float64', rate, inputSteps)
    const holds = naive.decay === 1 && stable.decay < 1
    return {
      naive: { decay: naive.decay, afterInput: naive.h[inputSteps - 1]!, final: naive.h.at(-1)! },
      stable: { decay: stable.decay, afterInput: stable.h[inputSteps - 1]!, final: stable.h.at(-1)! },
      holds,
      text: holds
        ? `exp(-${rate}) is ${say(naive.decay)} in ${dtype}: ${say(30 * inputSteps)} steps after its input ended the state is still ${say(naive.h.at(-1)!)}, where ${say(stable.h.at(-1)!)} is right.`
        : `exp(-${rate}) is ${say(naive.decay)} in ${dtype}: the state decays from ${say(naive.h[inputSteps - 1]!)} to ${say(naive.h.at(-1)!)}.`,
      figure: {
        caption: `The state: input 1 for ${say(inputSteps)} steps, then none.`,
        axes: ['step', 'state h'],
        series: [blue('float64', overSteps(stable.h), 'no dots'), red(dtype, overSteps(naive.h), 'no dots')],
        markers: [{ x: inputSteps, label: 'the input ends' }],
      },
    }
  },
})

function states(dtype: FloatDType, rate: number, inputSteps: number): { decay: number; h: number[] } {
  const decay = exp(neg(tensor([rate], { dtype })))
  let h = full([1], 0, { dtype })
  const seen = Array.from({ length: 31 * inputSteps }, (_, t) => {
    h = mul(decay, h)
    if (t < inputSteps) h = add(h, 1)
    return h.item()
  })
  return { decay: decay.item(), h: seen }
}

/** The state when the input ends, and at the end. */
function recurrence(rate: Tensor): Tensor {
  const decay = exp(neg(rate))
  let h = mul(decay, 0)
  let end = h
  for (let t = 0; t < 930; t++) {
    h = mul(decay, h)
    if (t < 30) h = add(h, 1)
    if (t === 29) end = h
  }
  return concat([end, h])
}
