import { flushOp, ops, type Reduction } from '../../tensor/index.js'
import type { Graph, Node } from '../graph/graph.js'
import { isElementwise } from '../graph/lowering.js'
import { hasSignedNaN } from '../graph/values.js'

/** The values of a graph whose NaNs may come out with the sign that they got from an overflow: what computes with a NaN gives one without. */
export function signedNaNs({ nodes, outputs }: Graph): ReadonlySet<Node> {
  const seen = new Set<Node>(outputs)
  // What reads a value comes after it.
  for (const node of [...nodes].reverse()) {
    for (const input of node.inputs) {
      if (!computes(node) || (seen.has(node) && isKept(node, input))) seen.add(input)
    }
  }
  return new Set([...seen].filter(({ dtype }) => hasSignedNaN(dtype)))
}

/** Whether an operation is one of those of which it is known what they make of a NaN's sign. */
function computes({ source, inputs }: Node): boolean {
  if (source.kind !== 'operation') return false
  const op = source.op
  if (isElementwise(op)) return true
  if (op === ops.sum || op === ops.mean) {
    // Without an axis it is its operand.
    return (source.attributes as Reduction).axes.length > 0 && inputs[0]!.size > 0
  }
  return op === ops.matmul
}

/** Whether an element of the operand may be one of the result, with its sign. */
function isKept({ source, inputs }: Node, input: Node): boolean {
  if (source.kind !== 'operation') return true
  const { op } = source
  return op === ops.cast || op === flushOp || (op === ops.where && inputs.indexOf(input, 1) > 0)
}
