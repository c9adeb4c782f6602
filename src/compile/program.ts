import { type Op, Tensor } from '../tensor/index.js'
import { type Emitted, emit, type HostCall } from './emit.js'
import type { Graph, Node } from './graph.js'
import { putTensor, tensorAt } from './inside.js'
import type { Host, Machine } from './machine.js'
import { putElements, takeElements, viewOf } from './putElements.js'
import { type Rounding, type Schedule, schedule } from './schedule.js'

/** Room behind a program: elements behind the last one may be any bits, and a table is read by them too, up to 2^18 words off. */
const slack = 2 ** 20

/** A value that comes out: where it lies, unless it is an argument, a constant or has no elements. */
interface Result {
  readonly output: Node
  readonly stored: Node
  readonly at: number | undefined
}

/** A graph made ready to run: scheduled, placed in memory, written in words. */
export class Program {
  readonly graph: Graph
  readonly schedule: Schedule
  readonly emitted: Emitted
  readonly #machine: Machine
  readonly #host: Host
  readonly #results: readonly Result[]

  constructor(graph: Graph, machine: Machine, rounding: Rounding = 'each') {
    this.graph = graph
    this.schedule = schedule(graph, rounding)
    this.#machine = machine
    this.emitted = emit(
      graph,
      this.schedule,
      machine.base,
      ({ name, dtype }) => machine.tableOf(name, dtype),
      (dtype) => machine.edgesOf(dtype),
    )
    this.#host = hostOf(this.emitted.calls, machine)
    const places = new Map(this.emitted.outputs.map(({ node, at }) => [node, at]))
    this.#results = graph.outputs.map((output) => {
      const { stored } = this.schedule.placeOf(output)
      return { output, stored, at: places.get(stored) }
    })
  }

  /** The arguments, by number, that come out as they are, in another shape perhaps. */
  get returned(): readonly number[] {
    return this.graph.outputs.flatMap((output) => {
      const { source } = this.schedule.placeOf(output).stored
      return source.kind === 'argument' ? [source.index] : []
    })
  }

  /**
   * The values of the graph's outputs for some arguments; undefined where a NaN came up of whose sign
   * or payload a program keeps no account. Outputs are written into the arrays of `storage`, as far as there are
   * some.
   */
  run(
    args: readonly Tensor[],
    storage: readonly (Tensor['data'] | undefined)[],
  ): readonly Tensor[] | undefined {
    const machine = this.#machine
    this.#put(args)
    if (machine.run(this.emitted.enterAt, this.#host)) return undefined
    const results: Tensor[] = []
    for (const [i, result] of this.#results.entries()) results.push(this.#take(result, args, storage[i]))
    return results
  }

  #take({ output, stored, at }: Result, args: readonly Tensor[], into: Tensor['data'] | undefined): Tensor {
    if (at !== undefined) return remade(output, takeElements(this.#machine.views, at, output, into))
    if (stored.source.kind === 'constant') return stored.source.tensor
    if (stored.source.kind !== 'argument') return remade(output, [])
    const from = argumentOf(stored, args)
    return output === stored ? from : remade(output, from.data)
  }

  /** Microseconds of each step, the least of some runs; what comes in and goes out is not counted. */
  times(args: readonly Tensor[], runs: number): readonly number[] {
    const { stepsAt } = this.emitted
    const machine = this.#machine
    const least = new Array<number>(stepsAt.length - 1).fill(Infinity)
    for (let run = 0; run < runs; run++) {
      this.#put(args)
      machine.runPart(this.emitted.enterAt, stepsAt[0]!, this.#host)
      for (let i = 0; i < least.length; i++) {
        const began = performance.now()
        machine.runPart(stepsAt[i]!, stepsAt[i + 1]!, this.#host)
        least[i] = Math.min(least[i]!, (performance.now() - began) * 1000)
      }
    }
    return least
  }

  /** Puts the program and its arguments in their places. */
  #put(args: readonly Tensor[]): void {
    const { emitted } = this
    const machine = this.#machine
    machine.reserve(emitted.end + slack)
    machine.own(this, emitted.imageAt, emitted.image)
    const { views } = machine
    for (const { node, at } of emitted.arguments) putElements(views, at, argumentOf(node, args))
  }
}

function argumentOf(node: Node, args: readonly Tensor[]): Tensor {
  return args[(node.source as { readonly index: number }).index]!
}

function remade(node: Node, data: Tensor['data'] | readonly []): Tensor {
  return new Tensor(node.dtype, node.shape, data as Tensor['data'])
}

/** What the interpreter calls: operations by their own kernels. */
function hostOf(calls: readonly HostCall[], machine: Machine): Host {
  return {
    step(index) {
      const call = calls[index]!
      if (call.kind !== 'step') throw new Error('compile: a step calls what is no step')
      const { node, inputs, at } = call
      const tensors = inputs.map(({ node: input, at: from }) =>
        input.source.kind === 'constant'
          ? input.source.tensor
          : tensorAt(machine.buffer, from, input.dtype, input.shape),
      )
      putTensor(machine.buffer, at, resultOf(node, tensors))
    },
    block(index, to, a, b, c, count) {
      const { node } = calls[index]!
      const { buffer } = machine
      const operand = (dtype: Node['dtype'], at: number): Tensor =>
        new Tensor(dtype, [count], viewOf(buffer, at, dtype, count))
      const places = [a, b, c]
      const inputs = node.inputs.map(({ dtype }, i) => operand(dtype, places[i]!))
      const { op, attributes } = operationOf(node)
      op.kernel(inputs, attributes, operand(node.dtype, to))
    },
  }
}

function resultOf(node: Node, inputs: readonly Tensor[]): Tensor {
  if (node.source.kind === 'reshaped') return remade(node, inputs[0]!.data)
  const { op, attributes } = operationOf(node)
  return op.kernel(inputs, attributes)
}

function operationOf({ source }: Node): { readonly op: Op; readonly attributes: unknown } {
  if (source.kind !== 'operation') throw new Error(`compile: no operation [${source.kind}]`)
  return source
}
