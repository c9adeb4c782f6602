import type { Block, Operation, Value } from '../module.js'
import { convertAt, tensorType, type Uses, usesOf, valueLike } from './makers.js'

/** Which results are computed in float32, and who reads them before they are rounded. */
export interface Widening {
  /** The element types whose results may be kept wide. */
  readonly elements: ReadonlySet<string>
  /** Whether this operation's result may be. */
  readonly gives: (op: Operation) => boolean
  /** Whether an operation reads its operands before they are rounded. */
  readonly reads: (op: Operation) => boolean
}

const named = (dialect: string, names: string): readonly string[] =>
  names.split(' ').map((name) => `${dialect}.${name}`)

/** Products, which round what they have added. */
const products: ReadonlySet<string> = new Set(named('stablehlo', 'dot dot_general convolution'))

/** Functions of elements that round their result once and mean the same in float32. */
const functions: ReadonlySet<string> = new Set([
  ...named('stablehlo', 'add subtract multiply divide power remainder atan2 sqrt rsqrt cbrt exponential'),
  ...named('stablehlo', 'exponential_minus_one log log_plus_one logistic tanh sine cosine tan'),
  ...named('chlo', 'square erf erfc erf_inv lgamma digamma sinh cosh asin acos atan asinh acosh atanh tan'),
])

/** Operations on elements that round nothing. */
const choices: ReadonlySet<string> = new Set(
  named('stablehlo', 'abs negate maximum minimum select clamp sign'),
)

/** Operations on elements whose result is no float. */
const tests: ReadonlySet<string> = new Set(named('stablehlo', 'compare is_finite'))

/** Whether an operation rounds its result to the dtype that it has. */
export function isRounding({ name }: Operation): boolean {
  return products.has(name) || functions.has(name)
}

/** Whether an operation belongs to a chain of operations on elements. */
export function isChained({ name }: Operation): boolean {
  return functions.has(name) || choices.has(name) || tests.has(name)
}

/**
 * A block in which results that somebody reads unrounded are float32: a cast after the operation gives everybody else the value
 * that the text has.
 */
export function widened(block: Block, widening: Widening): Block {
  const uses = usesOf(block)
  const wide = new Map<Value, Value>()
  const isNarrow = (value: Value): boolean => widening.elements.has(tensorType(value)?.element ?? '')
  const operations = block.operations.flatMap((op) => {
    const [result] = op.results
    const isRead = result !== undefined && (uses.users.get(result) ?? []).some(widening.reads)
    const takes = widening.reads(op) && op.operands.some((operand) => wide.has(operand))
    const gives = result !== undefined && op.results.length === 1 && isNarrow(result) && widening.gives(op)
    if (op.name === 'stablehlo.convert') {
      return takes ? [{ ...op, operands: [wide.get(op.operands[0]!)!] }] : [op]
    }
    if (!takes && !(gives && isRead)) return [op]
    const before: Operation[] = []
    const operands = op.operands.map((operand) => {
      if (!isNarrow(operand) || products.has(op.name)) return operand
      const known = takes ? wide.get(operand) : undefined
      if (known) return known
      const [cast, value] = convertAt(op, operand, 'f32')
      before.push(cast)
      return value
    })
    if (!gives) return [...before, { ...op, operands }]
    const full = valueLike(result, 'f32')
    wide.set(result, full)
    const all = [...before, { ...op, operands, results: [full] }]
    return isReadRounded(result, uses, widening) ? [...all, narrowed(op, full, result)] : all
  })
  return { ...block, operations }
}

function narrowed(op: Operation, from: Value, result: Value): Operation {
  return { ...op, name: 'stablehlo.convert', operands: [from], results: [result], attributes: {} }
}

function isReadRounded(value: Value, { users, captured }: Uses, { reads }: Widening): boolean {
  return captured.has(value) || (users.get(value) ?? []).some((user) => !reads(user))
}
