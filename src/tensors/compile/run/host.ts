import { type Op, ops, Tensor } from '../../tensor/index.js'
import type { HostCall, ScanCall } from '../emit/emitted.js'
import type { ScanStep } from '../emit/schedule.js'
import type { Host, Machine } from '../engine/machine.js'
import type { Node } from '../graph/graph.js'
import { hasOddNaN, putTensor, tensorAt } from '../graph/inside.js'
import { viewOf } from './putElements.js'
import { runStream } from './runStream.js'

/** What runs a loop of the function's own; true where it came upon a NaN that a program keeps no account of. */
export interface RunsLoop {
  readonly step: ScanStep
  run(call: ScanCall): boolean
}

const none: readonly Tensor[] = []

/** What the interpreter calls for one program: operations by their own kernels, and loops. */
export class ProgramHost implements Host {
  /** Whether a loop came upon a NaN that a program keeps no account of. */
  strange = false
  /** The program's arguments while it runs, and the results that have gone out by then. */
  args: readonly Tensor[] = none
  readonly made: Map<Node, Tensor['data']> = new Map()
  readonly #calls: readonly HostCall[]
  readonly #loops: ReadonlyMap<ScanStep, RunsLoop>
  readonly #machine: Machine

  constructor(calls: readonly HostCall[], loops: readonly RunsLoop[], machine: Machine) {
    this.#calls = calls
    this.#loops = new Map(loops.map((loop) => [loop.step, loop]))
    this.#machine = machine
  }

  /** Lets go of arguments and results. */
  forget(): void {
    this.args = none
    // Clearing a map takes longer than all else that a short call does.
    if (this.made.size > 0) this.made.clear()
  }

  step(index: number): void {
    const call = this.#calls[index]!
    if (call.kind === 'scan') {
      if (this.#loops.get(call.step)!.run(call)) this.strange = true
      return
    }
    if (call.kind === 'parts') {
      if (this.#machine.runParts(call.places)) this.strange = true
      return
    }
    if (call.kind === 'stream') {
      if (runStream(call, this.args, this.made, this.#machine, this)) this.strange = true
      return
    }
    if (call.kind !== 'step') throw new Error('compile: a step calls something other than a step')
    const { node, inputs, at } = call
    const { buffer } = this.#machine
    const tensors = inputs.map(({ node: input, at: from }) =>
      input.source.kind === 'constant'
        ? input.source.tensor
        : tensorAt(buffer, from, input.dtype, input.shape),
    )
    const result = resultOf(node, tensors)
    // A program keeps no account of the bits of NaNs, which a bitcast may make.
    if (node.source.kind === 'operation' && node.source.op === ops.bitcast && hasOddNaN(result)) {
      this.strange = true
    }
    putTensor(buffer, at, result)
  }

  block(index: number, to: number, a: number, b: number, c: number, count: number): void {
    const call = this.#calls[index]!
    if (call.kind !== 'block') throw new Error('compile: a block calls something other than a block')
    const { node } = call
    const { buffer } = this.#machine
    const operand = (dtype: Node['dtype'], at: number): Tensor =>
      new Tensor(dtype, [count], viewOf(buffer, at, dtype, count))
    const places = [a, b, c]
    const inputs = node.inputs.map(({ dtype }, i) => operand(dtype, places[i]!))
    const { op, attributes } = operationOf(node)
    op.kernel(inputs, attributes, operand(node.dtype, to))
  }
}

function resultOf(node: Node, inputs: readonly Tensor[]): Tensor {
  if (node.source.kind === 'reshaped') return new Tensor(node.dtype, node.shape, inputs[0]!.data)
  const { op, attributes } = operationOf(node)
  return op.kernel(inputs, attributes)
}

function operationOf({ source }: Node): { readonly op: Op; readonly attributes: unknown } {
  if (source.kind !== 'operation') throw new Error(`compile: no operation [${source.kind}]`)
  return source
}
