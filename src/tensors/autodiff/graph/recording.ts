import { Tensor, type Trace } from '../../tensor/index.js'
import { variableOp } from './variable.js'

/** A recorded tensor as the walks over a graph see it. */
export interface RecordedNode {
  readonly tensor: Tensor
  readonly serial: number
  /** Whether it belongs to a graph beyond this call: of an outer gradient, or of a recording. */
  readonly foreign: boolean
  /** The tensor without its trace, once it was asked for. */
  plain: Tensor | undefined
}

/** The graph between some variables and outputs, for walks in either direction. */
export interface Recording {
  /** What was computed on the way, as it ran. */
  readonly forward: readonly RecordedNode[]
  /** The tensor as the world outside may have it: without a trace, unless it belongs to an outer graph. */
  plain(x: Tensor): Tensor
  /** The new nodes behind `from` whose serial is `first` or above, as they ran. */
  discover(from: readonly Tensor[], first: number): RecordedNode[]
  /** Drops nodes that were discovered for one walk. */
  forget(nodes: readonly RecordedNode[]): void
}

/**
 * Reads the graph between `variables`, just made in this order, and `outputs`. Nothing that ran before the first of them
 * can depend on one, which is where every walk ends.
 */
export function recordingOf(variables: readonly Tensor[], outputs: readonly Tensor[]): Recording {
  const nodes = new Map<number, RecordedNode>()
  for (const tensor of variables) {
    const { serial, inputs } = tensor.trace!
    nodes.set(serial, { tensor, serial, foreign: inputs.length > 0, plain: undefined })
  }

  function discover(from: readonly Tensor[], first: number): RecordedNode[] {
    const found = new Map<number, Tensor>()
    const open = [...from]
    for (let tensor = open.pop(); tensor; tensor = open.pop()) {
      const { trace } = tensor
      if (!trace || trace.serial < first || nodes.has(trace.serial) || found.has(trace.serial)) continue
      found.set(trace.serial, tensor)
      for (const input of trace.inputs) if (input.trace) open.push(input)
    }
    const serials = [...found.keys()].sort((a, b) => a - b)
    return serials.map((serial) => {
      const tensor = found.get(serial)!
      const node: RecordedNode = { tensor, serial, foreign: isForeign(tensor.trace!), plain: undefined }
      nodes.set(serial, node)
      return node
    })
  }

  function isForeign({ op, inputs }: Trace): boolean {
    // A root that is no variable was made by a recording, and so was what reads constants alone.
    if (inputs.every((input) => !input.trace)) return op !== variableOp
    return inputs.some(({ trace }) => trace && (nodes.get(trace.serial)?.foreign ?? true))
  }

  function plain(tensor: Tensor): Tensor {
    const node = tensor.trace && nodes.get(tensor.trace.serial)
    if (!node || node.foreign) return tensor
    node.plain ??= new Tensor(tensor.dtype, tensor.shape, tensor.data)
    return node.plain
  }

  const forget = (list: readonly RecordedNode[]): void => {
    for (const { serial } of list) nodes.delete(serial)
  }
  return { forward: discover(outputs, variables[0]?.trace?.serial ?? Infinity), plain, discover, forget }
}
