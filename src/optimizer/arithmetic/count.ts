import { apply, type KnownOp, type Op, Tensor } from '../../tensors/tensor/index.js'
import { areRecorded } from './recorded.js'

/** Steps done: a number, or where a whole step is recorded an int32 tensor of no axes, as optax keeps it. */
export type Count = number | Tensor

/** An operation that takes a count to a float64 number, whatever JavaScript that takes: what a schedule gives, a bias correction. */
export function countOp<A>(name: string, f: (count: number, attributes: A) => number): KnownOp<A> {
  return {
    name,
    form: 'whole',
    rounds: 'once',
    kernel: ([count], attributes) => new Tensor('float64', [], Float64Array.of(f(count!.item(), attributes))),
  }
}

/** What an operation gives for a count that is a tensor. */
export function atCount<A>(op: Op<A>, count: Tensor, attributes: A): Tensor<'float64'> {
  return apply(op, [count], attributes) as Tensor<'float64'>
}

/** A count as a number; undefined where somebody records what is made of it. */
export function plainCount(count: Count): number | undefined {
  if (!(count instanceof Tensor)) return count
  return areRecorded(count) ? undefined : count.item()
}

const largest = 2 ** 31 - 1

const nextOp: KnownOp = {
  name: 'nextCount',
  form: 'whole',
  rounds: 'never',
  kernel: ([count]) => new Tensor('int32', [], Int32Array.of(nextCount(count!.item()))),
}

/** The count after this step; it stops at the largest int32, as optax's does. A RangeError where it is no count. */
export function nextCount(count: number): number
export function nextCount(count: Count): Count
export function nextCount(count: Count): Count {
  if (count instanceof Tensor) return apply(nextOp, [count], undefined)
  if (!(Number.isInteger(count) && count >= 0)) {
    throw new RangeError(`optimizer: the state's count is not a whole number from 0 [${String(count)}]`)
  }
  return Math.min(count + 1, largest)
}
