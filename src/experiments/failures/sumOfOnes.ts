import {
  type AccumulateOptions,
  cumsum,
  type FloatDType,
  ones,
  type Tensor,
} from '../../tensors/tensor/index.js'
import type { Computation } from './record/examination.js'

/** A running sum of ones, and where it stops growing. */
export interface SumOfOnes {
  readonly running: readonly number[]
  /** The last of them. */
  readonly sum: number
  /** After how many ones it changed last; null where it goes on growing. */
  readonly stallIndex: number | null
}

/** The running sum of n ones, added as the options say. */
export function sumOfOnes(n: number, dtype: FloatDType, how: AccumulateOptions): SumOfOnes {
  const sums = cumsum(ones([n], { dtype }), how)
  const running = [...sums.toNumbers()]
  let last = n
  while (last > 1 && running[last - 1] === running[last - 2]) last--
  const stallIndex = last < n ? last : null
  return { running, sum: running[n - 1]!, stallIndex }
}

/** What is asked of a running sum of 1,024 ones: to count them. */
export function onesToCount(): Pick<Computation<Tensor, Tensor>, 'inputs' | 'question' | 'target'> {
  const counted = (): Tensor => ones([1024], { dtype: 'bfloat16' })
  return {
    inputs: counted(),
    question: 'the sum is 1,024',
    target: { holds: (g) => g(counted()).toNumbers().at(-1) === 1024 },
  }
}
