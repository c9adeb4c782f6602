import { equal, Tensor, where } from '../../tensors/tensor/index.js'
import type { Count } from './count.js'
import { areRecorded } from './recorded.js'

/** A decision: known, or where a whole step is recorded a bool tensor of no axes. */
export type Flag = boolean | Tensor<'bool'>

/** A decision that is made now, except where somebody records what follows from it. */
export function known(flag: Tensor<'bool'>): Flag {
  return areRecorded(flag) ? flag : flag.item() === 1
}

/** Whether so many steps are done. */
export function isAt(count: Count, steps: number): Flag {
  return count instanceof Tensor ? equal(count, steps) : count === steps
}

/** One of two lists of tensors, alike in dtypes: that one alone is computed where the decision is known, both where it is recorded. */
export function choose<T extends readonly Tensor[]>(
  flag: Flag,
  yes: () => readonly [...T],
  no: () => readonly [...T],
): readonly [...T] {
  if (typeof flag === 'boolean') return flag ? yes() : no()
  const others = no()
  return yes().map((x, i) => where(flag, x, others[i]!)) as unknown as readonly [...T]
}
