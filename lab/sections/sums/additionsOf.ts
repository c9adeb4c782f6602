import type { ReduceOrder } from 'tpu-toolkit/collectives'
import { add, type FloatDType, tensor } from 'tpu-toolkit/tensor'

/** One addition: on which machine, of what, and its rounded result. */
export interface ShownAddition {
  readonly machine: number
  readonly left: number
  readonly right: number
  readonly sum: number
}

/** The additions of one element, the first of each machine's, in the order in which they are done; the last is the sum. */
export function additionsOf(
  values: readonly number[],
  order: ReduceOrder,
  dtype: FloatDType,
): ShownAddition[] {
  const added = (a: number, b: number): number => add(tensor(a, { dtype }), tensor(b, { dtype })).item()
  const done: ShownAddition[] = []
  const count = values.length
  if (order === 'tree') {
    const sums = [...values]
    for (let reach = 1; reach < count; reach *= 2) {
      for (let r = 0; r + reach < count; r += 2 * reach) {
        const [left, right] = [sums[r]!, sums[r + reach]!]
        sums[r] = added(left, right)
        done.push({ machine: r, left, right, sum: sums[r]! })
      }
    }
    return done
  }
  // The first element is in chunk 0: a ring begins with machine 1 and ends with machine 0.
  const first = order === 'ring' ? 1 : 0
  let sum = values[first % count]!
  for (let i = 1; i < count; i++) {
    const from = (first + i) % count
    const next = added(sum, values[from]!)
    done.push({ machine: order === 'ring' ? from : 0, left: sum, right: values[from]!, sum: next })
    sum = next
  }
  return done
}
