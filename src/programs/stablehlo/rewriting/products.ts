import type { Block, Operation, Value } from '../module.js'
import { integers } from '../values/attributes.js'
import { operationAt, tensorType, usesOf, valueLike } from './makers.js'

/**
 * A block in which products with constants are put together, as XLA's CPU backend has them: (a c) d is a (c d) for constants c and
 * d, and (a c) b is a (b c) where b is repeated; each new product is rounded once to its dtype. XLA computes bfloat16 in float32
 * and rounds in between, so that its products stay as they are.
 *
 * Source    XLA, hlo/transforms/simplifiers/algebraic_simplifier.cc, HandleMultiply; measured with jax 0.10.2.
 */
export function withJoinedProducts(block: Block): Block {
  const makers = new Map(usesOf(block).makers)
  const operations = block.operations.flatMap((op) => {
    const made = joined(op, makers) ?? [op]
    for (const each of made) for (const result of each.results) makers.set(result, each)
    return made
  })
  return { ...block, operations }
}

type Makers = ReadonlyMap<Value, Operation>

function joined(op: Operation, makers: Makers): readonly Operation[] | undefined {
  if (op.name !== 'stablehlo.multiply') return undefined
  const [result] = op.results as readonly [Value]
  const type = tensorType(result)
  if (!type || !/^f(16|32|64)$/.test(type.element) || type.shape.length === 0) return undefined
  const [left, right] = op.operands as readonly [Value, Value]
  const isLeft = makers.get(left)?.name === 'stablehlo.multiply'
  const [inner, outer] = isLeft ? [left, right] : [right, left]
  const product = makers.get(inner)
  const broadcast = makers.get(outer)
  if (product?.name !== 'stablehlo.multiply' || broadcast?.name !== 'stablehlo.broadcast_in_dim') {
    return undefined
  }
  const [source] = broadcast.operands as readonly [Value]
  const factors = product.operands as readonly [Value, Value]
  const place = factors.findIndex((factor) => scalarConstant(factor, makers))
  if (place < 0) return undefined
  const constant = makers.get(factors[place]!)!.operands[0]!
  const rest = factors[1 - place]!
  const shape = tensorType(source)?.shape
  if (!shape) return undefined
  const before: Operation[] = []
  let repeated = constant
  if (shape.length > 0) {
    repeated = valueLike(source, type.element, shape)
    const none = { kind: 'denseArray', element: 'i64', values: [] } as const
    before.push(
      operationAt(op, 'stablehlo.broadcast_in_dim', [constant], repeated, { broadcast_dimensions: none }),
    )
  }
  const small = valueLike(source, type.element, shape)
  const large = valueLike(outer, type.element)
  return [
    ...before,
    operationAt(op, 'stablehlo.multiply', [source, repeated], small),
    { ...broadcast, operands: [small], results: [large] },
    { ...op, operands: [rest, large] },
  ]
}

/** Whether a value repeats one constant number. */
function scalarConstant(value: Value, makers: Makers): boolean {
  const maker = makers.get(value)
  if (maker?.name !== 'stablehlo.broadcast_in_dim') return false
  const [source] = maker.operands as readonly [Value]
  const isScalar = integers(maker, 'broadcast_dimensions').length === 0
  return isScalar && makers.get(source)?.name === 'stablehlo.constant'
}
