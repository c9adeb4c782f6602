import { equal, isFloat, sameShape, Tensor, where } from '../../../tensors/tensor/index.js'
import type { SortKeys } from '../elements/sortedBy.js'
import { totalOrderKeys } from '../elements/totalOrder.js'
import type { Value as Name, Operation, Region } from '../module.js'
import { keyword } from '../values/attributes.js'
import type { Frame, LiftedRegion } from '../values/lowering.js'

/** The keys that some operands are sorted by; undefined where those of the two sides differ. */
export type SortKey = (operands: readonly Tensor[]) => SortKeys | undefined

/** The same, with the values that the comparison reads from outside. */
export type FramedKey = (frame: Frame) => SortKey

/**
 * What a comparison of two rows compares, where it is 'less' or 'greater' of one function of either row, or, key after key, 'less, or
 * equal and the rest is less': what sorting programs write. Undefined for any other.
 */
export function comparatorKeys(
  comparator: Region,
  bind: (region: Region) => LiftedRegion,
): readonly FramedKey[] | undefined {
  const [block] = comparator.blocks
  if (!block) return undefined
  const made = new Map<Name, Operation>()
  for (const op of block.operations) for (const result of op.results) made.set(result, op)
  const given = block.operations.at(-1)?.operands[0]
  const found: Operation[] = []
  for (let at = given; at; ) {
    const op = made.get(at)
    if (op?.name === 'stablehlo.compare') {
      found.push(op)
      break
    }
    // less(first) or (equal(first) and the rest)
    if (op?.name !== 'stablehlo.or') return undefined
    const [first, rest] = op.operands.map((operand) => made.get(operand))
    const [less, both] = first?.name === 'stablehlo.compare' ? [first, rest] : [rest, first]
    if (less?.name !== 'stablehlo.compare' || both?.name !== 'stablehlo.and') return undefined
    const same = both.operands.find((operand) => {
      const other = made.get(operand)
      return (
        other?.name === 'stablehlo.compare' &&
        keyword(other, 'comparison_direction') === 'EQ' &&
        other.operands[0] === less.operands[0] &&
        other.operands[1] === less.operands[1]
      )
    })
    if (!same) return undefined
    found.push(less)
    at = both.operands.find((operand) => operand !== same)
  }
  if (found.length === 0) return undefined
  const keys = found.map((op) => keyOf(op, comparator, bind))
  return keys.every((key) => key !== undefined) ? keys : undefined
}

/** The key that one comparison compares: its left side on the left row, its right side on the right row. */
function keyOf(
  op: Operation,
  comparator: Region,
  bind: (region: Region) => LiftedRegion,
): FramedKey | undefined {
  const direction = keyword(op, 'comparison_direction')
  if (direction !== 'LT' && direction !== 'GT') return undefined
  const block = comparator.blocks[0]!
  const end = block.operations.at(-1)!
  const [left, right] = op.operands
  const lefts = block.arguments.filter((_, i) => i % 2 === 0)
  const rights = block.arguments.filter((_, i) => i % 2 === 1)
  const reads = (name: Name): ReadonlySet<Name> => sources(name, block.operations)
  if (rights.some((name) => reads(left!).has(name)) || lefts.some((name) => reads(right!).has(name))) {
    return undefined
  }
  const isTotal = keyword(op, 'compare_type', '') === 'TOTALORDER'
  const both = bind({
    blocks: [{ ...block, operations: [...block.operations.slice(0, -1), { ...end, operands: op.operands }] }],
  })
  return (frame) => (operands) => {
    // Every row stands on both sides; where the sides are one function they give the same.
    const [a, b] = both(frame)(operands.flatMap((x) => [x, x]))
    const { shape } = operands[0]!
    if (
      !(a instanceof Tensor && b instanceof Tensor && sameShape(a.shape, shape) && sameShape(b.shape, shape))
    ) {
      return undefined
    }
    const [values, others] = [valuesOf(a, isTotal), valuesOf(b, isTotal)]
    for (let i = 0; i < values.length; i++) if (values[i] !== others[i]) return undefined
    return { values, descending: direction === 'GT' }
  }
}

/** Numbers in the order that is compared by; a comparison that is not total has one zero, and NaN last. */
function valuesOf(x: Tensor, isTotal: boolean): SortKeys['values'] {
  if (!isFloat(x.dtype)) {
    if (x.data instanceof Int32Array || x.data instanceof Uint32Array) return x.data
    const data: unknown = x.data
    if (data instanceof BigInt64Array) return data
    return Int32Array.from(x.toNumbers())
  }
  if (isTotal) return totalOrderKeys(x)
  return totalOrderKeys(where(equal(x, 0), 0, x))
}

/** What a value is computed from, itself included. */
function sources(name: Name, operations: readonly Operation[]): ReadonlySet<Name> {
  const found = new Set([name])
  for (let i = operations.length - 1; i >= 0; i--) {
    const { results, operands } = operations[i]!
    if (results.some((result) => found.has(result))) for (const operand of operands) found.add(operand)
  }
  return found
}
