import { isFloat, opName, Tensor } from '../../tensor/index.js'
import type { GraphNode } from '../graph/graphOf.js'

const sums: ReadonlySet<string> = new Set(['sum', 'mean', 'cumsum', 'scatter'])
const notElementwise: ReadonlySet<string> = new Set(
  [
    'reshape',
    'transpose',
    'broadcastTo',
    'flip',
    'slice',
    'take',
    'tril',
    'triu',
    'concat',
    'max',
    'min',
  ].concat(['argmax', 'argmin', 'cumprod', 'matmul', ...sums]),
)

/** What an operation gives in float64 for one element, from its operand elements; undefined where that is not known. */
export function exactResult(
  { op, record, attributes }: GraphNode,
  operands: readonly (readonly number[])[],
): number | undefined {
  const [a = [], b = []] = operands
  if (opName(record) === undefined && op !== 'scatter') {
    return op === 'stopGradient' ? a[0] : undefined
  }
  if (op === 'cast') return isFloat((attributes as { dtype: 'float32' }).dtype) ? a[0] : undefined
  if (sums.has(op)) {
    const total = a.reduce((s, x) => s + x, 0)
    return op === 'mean' ? total / a.length : total
  }
  if (op === 'cumprod') return a.reduce((p, x) => p * x, 1)
  if (op === 'matmul') return a.reduce((s, x, i) => s + x * b[i]!, 0)
  if (op === 'max' || op === 'min') return a.length < 1000 ? Math[op](...a) : undefined
  if (op === 'concat') return operands.flat()[0]
  if (notElementwise.has(op)) return a[0] ?? 0
  if (operands.some(({ length }) => length !== 1)) return undefined
  const condition = op === 'where' ? operands[0]![0]! : undefined
  if (condition !== undefined) return condition ? b[0] : operands[2]![0]
  const scalars = operands.map(([x]) => new Tensor('float64', [], Float64Array.of(x!)))
  const result = record.kernel(scalars, attributes)
  return result.dtype === 'float64' ? result.item() : undefined
}
