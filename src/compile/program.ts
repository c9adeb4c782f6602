import { Tensor } from '../tensor/index.js'
import { emit } from './emit.js'
import type { Emitted } from './emitted.js'
import type { Graph, Node } from './graph.js'
import { ProgramHost } from './host.js'
import { viewOf } from './inside.js'
import { bodiesOf, type LoopBody } from './loopBody.js'
import type { Machine } from './machine.js'
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
  /** The loops of the function's own. */
  readonly bodies: readonly LoopBody[]
  readonly #images: readonly Emitted[]
  readonly #machine: Machine
  readonly #host: ProgramHost
  /** Where what goes out lies. */
  readonly #places: ReadonlyMap<Node, number>

  constructor(graph: Graph, machine: Machine, rounding: Rounding = 'each') {
    this.graph = graph
    this.schedule = schedule(graph, rounding)
    this.#machine = machine
    this.bodies = bodiesOf(this.schedule, machine, rounding, machine.base)
    this.emitted = emit(
      graph,
      this.schedule,
      this.bodies.at(-1)?.end ?? machine.base,
      ({ name, dtype }) => machine.tableOf(name, dtype),
      (dtype) => machine.edgesOf(dtype),
    )
    this.#images = [...this.bodies.flatMap(({ images }) => images), this.emitted]
    this.#host = new ProgramHost(this.emitted.calls, this.bodies, machine)
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
    this.#host.strange = false
    if (machine.run(emitted.runAt, this.#host) || this.#host.strange) return undefined
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
    machine.own(this, this.#images)
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

function remade(node: Node, data: Tensor['data'] | readonly []): Tensor {
  return new Tensor(node.dtype, node.shape, data as Tensor['data'])
}
