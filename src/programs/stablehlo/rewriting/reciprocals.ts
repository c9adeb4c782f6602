import type { Block, DenseElementsAttribute, Operation, Value } from '../module.js'
import { integers } from '../values/attributes.js'
import { convertAt, operationAt, tensorType, type Uses, usesOf, valueLike } from './makers.js'

/** One, as MLIR keeps it. */
const ones: Readonly<Record<string, readonly number[]>> = {
  f16: [0, 0x3c],
  f32: [0, 0, 0x80, 0x3f],
  f64: [0, 0, 0, 0, 0, 0, 0xf0, 0x3f],
}

/**
 * A block whose divisions by what is repeated over the dividend, or constant, are multiplications by reciprocals, as XLA's CPU
 * backend has them: 1 / b once, rounded to the dtype of the division (float32 where that is bfloat16), then the product.
 *
 * Source    XLA, hlo/transforms/simplifiers/algebraic_simplifier.cc, HandleDivide; measured with jax 0.10.2.
 */
export function withReciprocals(block: Block): Block {
  const uses = usesOf(block)
  return { ...block, operations: block.operations.flatMap((op) => divided(op, uses) ?? [op]) }
}

function divided(op: Operation, uses: Uses): readonly Operation[] | undefined {
  if (op.name !== 'stablehlo.divide') return undefined
  const [a, b] = op.operands as readonly [Value, Value]
  const [result] = op.results as readonly [Value]
  const type = tensorType(result)
  if (!type || type.shape.length === 0) return undefined
  const isWidened = type.element === 'bf16'
  const element = isWidened ? 'f32' : type.element
  if (!Object.hasOwn(ones, element) || isConstant(a, uses)) return undefined
  const repeated = repeatedOf(b, uses)
  if (!repeated || !(repeated.isConstant || isWidened || repeated.isOnlyReader)) return undefined
  const { source, broadcast } = repeated
  const before: Operation[] = []
  const wide = (value: Value): Value => {
    if (!isWidened) return value
    const [cast, to] = convertAt(op, value, 'f32')
    before.push(cast)
    return to
  }
  const shape = tensorType(source)!.shape
  const one = valueLike(source, element, shape)
  before.push(operationAt(op, 'stablehlo.constant', [], one, { value: splat(element, shape) }))
  const inverse = valueLike(source, element, shape)
  before.push(operationAt(op, 'stablehlo.divide', [one, wide(source)], inverse))
  let factor = inverse
  if (broadcast) {
    factor = valueLike(b, element)
    before.push({ ...broadcast, operands: [inverse], results: [factor] })
  }
  const dividend = wide(a)
  if (!isWidened) return [...before, operationAt(op, 'stablehlo.multiply', [dividend, factor], result)]
  const product = valueLike(result, 'f32')
  return [
    ...before,
    operationAt(op, 'stablehlo.multiply', [dividend, factor], product),
    operationAt(op, 'stablehlo.convert', [product], result),
  ]
}

function splat(element: string, shape: readonly number[]): DenseElementsAttribute {
  const bytes = Uint8Array.from(ones[element]!)
  return { kind: 'denseElements', type: { kind: 'tensor', shape, element }, splat: true, bytes }
}

function isConstant(value: Value, { makers }: Uses): boolean {
  const op = makers.get(value)
  if (op?.name === 'stablehlo.broadcast_in_dim') return isConstant(op.operands[0]!, { makers } as Uses)
  return op?.name === 'stablehlo.constant'
}

interface Repeated {
  readonly source: Value
  /** Undefined for a constant as long as the dividend. */
  readonly broadcast: Operation | undefined
  readonly isConstant: boolean
  /** Whether nothing else reads what the broadcast reads: where it stretches an axis of length 1, XLA reads a reshape of its own. */
  readonly isOnlyReader: boolean
}

/** What a divisor repeats: the operand of the broadcast that makes it, or a constant. */
function repeatedOf(b: Value, uses: Uses): Repeated | undefined {
  const maker = uses.makers.get(b)
  if (maker?.name === 'stablehlo.constant') {
    return { source: b, broadcast: undefined, isConstant: true, isOnlyReader: true }
  }
  if (maker?.name !== 'stablehlo.broadcast_in_dim') return undefined
  const [source] = maker.operands as readonly [Value]
  const from = tensorType(source)
  const to = tensorType(b)
  // A broadcast that repeats nothing is a reshape.
  if (!from || !to || sizeOf(from.shape) === sizeOf(to.shape)) return undefined
  const axes = integers(maker, 'broadcast_dimensions')
  const isStretched = from.shape.some((length, axis) => length === 1 && to.shape[axes[axis]!] !== 1)
  const readers = (uses.users.get(source) ?? []).length + (uses.captured.has(source) ? 1 : 0)
  return {
    source,
    broadcast: maker,
    isConstant: isConstant(source, uses),
    isOnlyReader: isStretched || readers === 1,
  }
}

const sizeOf = (shape: readonly number[]): number => shape.reduce((product, length) => product * length, 1)
