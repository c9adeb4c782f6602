import type { Tensor } from '../../tensor/index.js'
import type { Node } from '../graph/graph.js'

/** The tensor of this call that an argument's node stands for. */
export function argumentOf(node: Node, args: readonly Tensor[]): Tensor {
  return args[(node.source as { readonly index: number }).index]!
}
