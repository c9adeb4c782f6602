import type { Block, Operation, Value } from '../module.js'
import { fields, integers } from '../values/attributes.js'
import { operationAt, tensorType, type Uses, usesOf, valueLike } from './makers.js'

/** Operations of one operand that go element by element: a change of shape before them could as well stand after. */
const unary: ReadonlySet<string> = new Set(
  ['convert', 'negate', 'abs', 'exponential', 'sqrt', 'rsqrt', 'tanh', 'log'].map(
    (name) => `stablehlo.${name}`,
  ),
)

/**
 * A block whose reductions of a reshaped tensor reduce that tensor itself, where the axes that stay are the same: XLA leaves such
 * changes of shape out before it looks for the order of a sum, whose windows follow the shape.
 *
 * Source    XLA, hlo/transforms/simplifiers/algebraic_simplifier.cc, HandleReduce, and reshape_mover.cc.
 */
export function withReducedShapes(block: Block): Block {
  const uses = usesOf(block)
  return { ...block, operations: block.operations.flatMap((op) => reduced(op, uses) ?? [op]) }
}

function reduced(op: Operation, uses: Uses): readonly Operation[] | undefined {
  if (op.name !== 'stablehlo.reduce' || op.operands.length !== 2) return undefined
  const [operand, init] = op.operands as readonly [Value, Value]
  // From the reduction back to the change of shape: the operations between are done on the other shape.
  const between: Operation[] = []
  let value = operand
  for (let maker = uses.makers.get(value); maker && unary.has(maker.name); maker = uses.makers.get(value)) {
    between.push(maker)
    value = maker.operands[0]!
  }
  const maker = uses.makers.get(value)
  const found = maker && unshaped(maker, value)
  const to = tensorType(value)
  if (!found || !to) return undefined
  const { source, shape } = found
  const dimensions = movedAxes(shape, to.shape, integers(op, 'dimensions'))
  if (!dimensions) return undefined
  const before: Operation[] = [...found.before]
  let now = source
  for (const each of between.reverse()) {
    const next = valueLike(each.results[0]!, tensorType(each.results[0]!)!.element, shape)
    before.push({ ...operationAt(each, each.name, [now], next), attributes: each.attributes })
    now = next
  }
  const attribute = { kind: 'denseArray', element: 'i64', values: dimensions } as const
  return [
    ...before,
    { ...op, operands: [now, init], attributes: { ...op.attributes, dimensions: attribute } },
  ]
}

interface Unshaped {
  readonly source: Value
  readonly shape: readonly number[]
  readonly before: readonly Operation[]
}

/**
 * The value that a reshape reads. XLA also makes one: a product of matrices with several free axes on a side is a product of two
 * matrices and a reshape.
 */
function unshaped(maker: Operation, value: Value): Unshaped | undefined {
  if (maker.name === 'stablehlo.reshape') {
    const [source] = maker.operands as readonly [Value]
    const shape = tensorType(source)?.shape
    return shape && { source, shape, before: [] }
  }
  if (maker.name !== 'stablehlo.dot_general') return undefined
  const to: readonly number[] | undefined = tensorType(value)?.shape
  const sides = maker.operands.map((operand) => tensorType(operand)?.shape)
  if (!to || !sides[0] || !sides[1]) return undefined
  const entries = fields(maker, 'dot_dimension_numbers')
  const batch = integers(maker, 'lhs_batching_dimensions', [], entries).length
  const contracted = integers(maker, 'lhs_contracting_dimensions', [], entries).length
  const left = sides[0].length - batch - contracted
  const right = sides[1].length - batch - contracted
  if (left <= 1 && right <= 1) return undefined
  const free: readonly (readonly number[])[] = [to.slice(batch, batch + left), to.slice(batch + left)]
  const shape = [...to.slice(0, batch), ...free.filter(({ length }) => length > 0).map(product)]
  const source = valueLike(value, tensorType(value)!.element, shape)
  return { source, shape, before: [operationAt(maker, 'stablehlo.reshape', [value], source)] }
}

/** The axes of `from` that a reduction over axes of `to` goes over; undefined where an axis that stays is another one in `from`. */
export function movedAxes(
  from: readonly number[],
  to: readonly number[],
  axes: readonly number[],
): readonly number[] | undefined {
  const kept = new Set<number>()
  for (const [axis, length] of to.entries()) {
    if (axes.includes(axis)) continue
    const inFrom = unmodified(from, to, axis)
    if (inFrom === undefined || from[inFrom] !== length) return undefined
    kept.add(inFrom)
  }
  return from.flatMap((_, axis) => (kept.has(axis) ? [] : [axis]))
}

/** The axis of `from` that an axis of `to` is: of its length, with as many elements before it. */
function unmodified(from: readonly number[], to: readonly number[], axis: number): number | undefined {
  const before = product(to.slice(0, axis))
  const rest = product(to.slice(axis + 1))
  for (const [i, length] of from.entries()) {
    const same = length === to[axis] && product(from.slice(0, i)) === before
    if (same && product(from.slice(i + 1)) === rest) return i
  }
  return undefined
}

const product = (lengths: readonly number[]): number => lengths.reduce((all, length) => all * length, 1)
