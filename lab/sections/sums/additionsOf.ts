import { add, type FloatDType, tensor } from 'tpu-toolkit/tensor'
import type { ShownOrder } from './orders.js'

/** One addition: on which machine, of what, and its rounded result. */
export interface ShownAddition {
  readonly machine: number
  /** The machine that sends one of the two: a partial sum, or its own number. */
  readonly from: number
  /** What it sends. */
  readonly sent: number
  readonly left: number
  readonly right: number
  readonly sum: number
  /** In a tree: the round, from 0 on. */
  readonly round: number
}

/** The additions of one element, the first of each machine's, in the order in which they are done; the last is the sum. */
export function additionsOf(
  values: readonly number[],
  order: ShownOrder,
  dtype: FloatDType,
): ShownAddition[] {
  const added = (a: number, b: number): number => add(tensor(a, { dtype }), tensor(b, { dtype })).item()
  switch (order) {
    case 'ring':
    case 'nccl-ring':
      return aroundRing(values, added)
    case 'tree':
      return upTree(values, added)
    case 'all-to-all':
      return onFirst(values, added)
    case 'nccl-tree':
      return upNcclTree(values, added)
    default:
      return order satisfies never
  }
}

type Added = (a: number, b: number) => number

/** The first element is in chunk 0, which starts at machine 1, goes round and ends at machine 0. NCCL's ring does the same with it. */
function aroundRing(values: readonly number[], added: Added): ShownAddition[] {
  const count = values.length
  let sum = values[1 % count]!
  return Array.from({ length: count - 1 }, (_, i) => {
    const [from, machine] = [(1 + i) % count, (2 + i) % count]
    const [left, right] = [sum, values[machine]!]
    sum = added(left, right)
    return { machine, from, sent: left, left, right, sum, round: i }
  })
}

function upTree(values: readonly number[], added: Added): ShownAddition[] {
  const sums = [...values]
  const done: ShownAddition[] = []
  for (let reach = 1, round = 0; reach < sums.length; reach *= 2, round++) {
    for (let r = 0; r + reach < sums.length; r += 2 * reach) {
      const [left, right] = [sums[r]!, sums[r + reach]!]
      const sum = added(left, right)
      sums[r] = sum
      done.push({ machine: r, from: r + reach, sent: right, left, right, sum, round })
    }
  }
  return done
}

/** Machine 0 has chunk 0 of all others and adds it in their order. */
function onFirst(values: readonly number[], added: Added): ShownAddition[] {
  let sum = values[0]!
  return values.slice(1).map((right, i) => {
    const left = sum
    sum = added(left, right)
    return { machine: 0, from: i + 1, sent: right, left, right, sum, round: i }
  })
}

/** A machine of NCCL's first tree, and those that send it the sums of their subtrees. */
export interface NcclNode {
  readonly machine: number
  readonly depth: number
  readonly children: readonly NcclNode[]
}

/** The tree of NCCL's first channel for machines of one replica: the root is machine 0, its one child the middle of the others. */
export function ncclTreeOf(machines: number): NcclNode {
  const between = (low: number, high: number, depth: number): NcclNode[] => {
    const count = high - low - 1
    if (count < 1) return []
    // The largest power of two that is in `count`.
    const machine = low + 2 ** (31 - Math.clz32(count))
    const children = [...between(low, machine, depth + 1), ...between(machine, high, depth + 1)]
    return [{ machine, depth, children }]
  }
  return { machine: 0, depth: 0, children: between(0, machines, 1) }
}

function upNcclTree(values: readonly number[], added: Added): ShownAddition[] {
  const done: ShownAddition[] = []
  const sumOf = ({ machine, depth, children }: NcclNode): number => {
    let sum = values[machine]!
    for (const child of children) {
      const [left, right] = [sum, sumOf(child)]
      sum = added(left, right)
      done.push({ machine, from: child.machine, sent: right, left, right, sum, round: depth })
    }
    return sum
  }
  sumOf(ncclTreeOf(values.length))
  return done
}
