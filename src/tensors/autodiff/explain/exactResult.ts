import { formOf, isFloat, opName, ops, Tensor } from '../../tensor/index.js'
import type { GraphNode } from '../graph/graphOf.js'
import { exceptionRule } from './exceptionRules.js'

/** What an operation gives in float64 for one element, from its operand elements; undefined where that is not known. */
export function exactResult(
  { record, attributes, output }: Pick<GraphNode, 'record' | 'attributes' | 'output'>,
  operands: readonly (readonly number[])[],
): number | undefined {
  const form = formOf(record)
  if (operands.length === 0) return undefined
  // What an operation that moves does not read, it writes as a zero of its own.
  if (form === 'view' || form === 'concat') return operands.flat()[0] ?? 0
  const { exact } = exceptionRule(record)
  if (exact) return exact(operands)
  if (form !== 'elementwise' || opName(record) === undefined) return undefined
  // Its kernel rounds to the dtype that it is asked for, float64 or not.
  if (record === ops.cast) return isFloat(output.dtype) ? operands[0]![0] : undefined
  const scalars = operands.map(([x]) => new Tensor('float64', [], Float64Array.of(x!)))
  const result = record.kernel(scalars, attributes)
  return result.dtype === 'float64' ? result.item() : undefined
}
