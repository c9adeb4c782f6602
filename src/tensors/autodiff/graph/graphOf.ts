import { checkOptions } from '../../../base/options/index.js'
import { type KnownOp, type Op, Tensor, withTrace } from '../../tensor/index.js'
import { replaceTensors, tensorsIn } from './leaves.js'
import type { Treelike } from './treelike.js'
import { variableOp } from './variable.js'

/** The record of a recording's inputs. */
export const inputOp: KnownOp = { name: 'input', form: 'view', rounds: 'never', kernel: ([x]) => x! }

/**
 * The same tree, whose tensors carry a trace, so that everything computed from them does: gradients too, with all of
 * their backward pass. `graphOf` and `findFirstNonFinite` read it.
 *
 * With `sites` every operation also keeps where it was called, in its trace.
 *
 * @example graphOf(exp(neg(record(tensor(1))))).map(({ op }) => op) // ['input', 'neg', 'exp']
 */
export function record<T extends Treelike>(x: T, options: { readonly sites?: boolean } = {}): T {
  checkOptions('record', options, { sites: 'optional' })
  const { sites = false } = options
  const site = sites ? new Error('record') : undefined
  return replaceTensors(x, (leaf) =>
    withTrace(leaf, inputOp, leaf.trace ? [leaf] : [], undefined, site ?? leaf.trace?.site),
  )
}

/** One recorded operation, or an input of the recording. */
export interface GraphNode {
  /** Its place in the order in which operations ran. */
  readonly index: number
  readonly op: string
  /** What it read: the number of a node, or a tensor that was not computed from the inputs. */
  readonly inputs: readonly (number | Tensor)[]
  readonly attributes: unknown
  readonly output: Tensor
  /** The record of the operation. */
  readonly record: Op
}

/**
 * The operations that produced some tensors, in execution order: from the inputs of `record` on, the backward
 * passes of gradients among them. Without a recording there is nothing.
 *
 * @example graphOf(mul(record(tensor(2)), 3))[1].inputs.map(String) // ['0', 'float32 [] 3']
 */
export function graphOf(outputs: Treelike): GraphNode[] {
  return graphWith(tensorsIn(outputs)).nodes
}

/** The graph, and where some tensors are in it: the index of their node, undefined where they were not computed. */
export function graphWith(outputs: readonly Tensor[]): {
  readonly nodes: GraphNode[]
  readonly indexOf: (x: Tensor) => number | undefined
} {
  const found = new Map<number, Tensor>()
  const open = outputs.map(source)
  for (let x = open.pop(); x; x = open.pop()) {
    if (!x.trace || found.has(x.trace.serial)) continue
    found.set(x.trace.serial, x)
    open.push(...x.trace.inputs.map(source))
  }
  const ordered = [...found].sort(([a], [b]) => a - b)
  const places = new Map(ordered.map(([serial], index) => [serial, index]))
  const indexOf = (x: Tensor): number | undefined => {
    const { trace } = source(x)
    return trace && places.get(trace.serial)
  }
  const nodes = ordered.map(([, output], index): GraphNode => {
    const { op, inputs, attributes } = output.trace!
    return {
      index,
      op: op.name,
      inputs: inputs.map((x) => indexOf(x) ?? new Tensor(x.dtype, x.shape, x.data)),
      attributes,
      output,
      record: op,
    }
  })
  return { nodes, indexOf }
}

/** The tensor that a gradient's variable stands for; a plain one where that was not recorded. */
function source(x: Tensor): Tensor {
  let at = x
  while (at.trace?.op === variableOp) at = at.trace.inputs[0] ?? new Tensor(at.dtype, at.shape, at.data)
  return at
}
