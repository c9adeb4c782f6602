import { dtypeFacts, type Op, Tensor } from '../tensor/index.js'
import { type Emitted, emit, type HostCall } from './emit.js'
import type { Graph, Node } from './graph.js'
import { putTensor, tensorAt } from './inside.js'
import type { Host, Machine } from './machine.js'
import * as code from './opcodes.js'
import { type Rounding, type Schedule, schedule } from './schedule.js'
import { edgeOf } from './values.js'

/** Room behind a program: elements behind the last one may be any bits, and a table is read by them too, up to 2^18 words off. */
const slack = 2 ** 20

/** A graph made ready to run: scheduled, placed in memory, written in words. */
export class Program {
  readonly graph: Graph
  readonly schedule: Schedule
  readonly emitted: Emitted
  readonly #machine: Machine
  readonly #host: Host
  /** Where what goes out lies. */
  readonly #places: ReadonlyMap<Node, number>

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
    this.#places = new Map(this.emitted.outputs.map(({ node, at }) => [node, at]))
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
    const { emitted } = this
    const machine = this.#machine
    if (this.#enter(args)) return undefined
    if (machine.run(emitted.runAt, this.#host)) return undefined
    const { buffer } = machine
    return this.graph.outputs.map((output, i): Tensor => {
      const { stored } = this.schedule.placeOf(output)
      if (stored.source.kind === 'argument') {
        const from = argumentOf(stored, args)
        return output === stored ? from : remade(output, from.data)
      }
      if (stored.source.kind === 'constant') return stored.source.tensor
      const at = this.#places.get(stored)
      return remade(output, at === undefined ? [] : takeElements(buffer, at, output, storage[i]))
    })
  }

  /** Microseconds of each step, the least of some runs; what comes in and goes out is not counted. */
  times(args: readonly Tensor[], runs: number): readonly number[] {
    const { stepsAt } = this.emitted
    const machine = this.#machine
    const least = new Array<number>(stepsAt.length - 1).fill(Infinity)
    for (let run = 0; run < runs; run++) {
      this.#enter(args)
      for (let i = 0; i < least.length; i++) {
        const began = performance.now()
        machine.runPart(stepsAt[i]!, stepsAt[i + 1]!, this.#host)
        least[i] = Math.min(least[i]!, (performance.now() - began) * 1000)
      }
    }
    return least
  }

  #enter(args: readonly Tensor[]): boolean {
    const { emitted } = this
    const machine = this.#machine
    machine.reserve(emitted.end + slack)
    machine.own(this, emitted.imageAt, emitted.image)
    for (const { node, at } of emitted.arguments) putElements(machine.buffer, at, argumentOf(node, args))
    return machine.run(emitted.enterAt, this.#host)
  }
}

function argumentOf(node: Node, args: readonly Tensor[]): Tensor {
  return args[(node.source as { readonly index: number }).index]!
}

/** Copies elements in as storage has them, to where they grow from: see `enter` in wasm/program/edges.ts. */
function putElements(buffer: ArrayBuffer, at: number, x: Tensor): void {
  const { dtype, data } = x
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  const kind = edgeOf(dtype)
  let to = at
  if (kind === code.BFLOAT16 || kind === code.FLOAT16) {
    const whole = (data.length + 7) & ~7
    to += 2 * whole
    // Codes behind the last one are read too, and are not to be taken for NaNs.
    if (whole !== data.length) new Uint16Array(buffer, to + 2 * data.length, whole - data.length).fill(0)
  } else if (kind === code.BYTES || kind === code.BOOL) {
    to += 3 * data.length
  }
  new Uint8Array(buffer, to, bytes.length).set(bytes)
}

/** Copies elements out that have left: see `leave`. */
function takeElements(
  buffer: ArrayBuffer,
  at: number,
  { dtype, size }: Node,
  into: Tensor['data'] | undefined,
): Tensor['data'] {
  const view = viewOf(buffer, at, dtype, size)
  if (!into) return view.slice()
  into.set(view as never)
  return into
}

/** Elements as storage has them, where they lie. */
function viewOf(buffer: ArrayBuffer, at: number, dtype: Node['dtype'], size: number): Tensor['data'] {
  return new (dtypeFacts(dtype).storage)(buffer, at, size)
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
