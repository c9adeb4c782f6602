import { dtypeFacts, Tensor } from '../../tensor/index.js'
import { emit } from '../emit/emit.js'
import type { Emitted } from '../emit/emitted.js'
import { type Rounding, type Schedule, schedule } from '../emit/schedule.js'
import type { Machine } from '../engine/machine.js'
import type { Graph, Node } from '../graph/graph.js'
import { argumentOf } from './argumentOf.js'
import { ProgramHost } from './host.js'
import { bodiesOf, type LoopBody } from './loopBody.js'
import { putElements, takeElements } from './putElements.js'

/** Room behind a program: elements behind the last one may be any bits, and a table is read by them too, up to 2^18 words off. */
const slack = 2 ** 20

/** A value that comes out: where it lies, unless it is an argument, a constant, has no elements or has gone out tile by tile. */
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
  /** The loops of the function's own. */
  readonly bodies: readonly LoopBody[]
  readonly #images: readonly Emitted[]
  readonly #strange: boolean
  readonly #machine: Machine
  readonly #host: ProgramHost
  readonly #results: readonly Result[]

  /** `stays`: results that are not to go out before all steps are done. */
  constructor(
    graph: Graph,
    machine: Machine,
    rounding: Rounding = 'each',
    threads = 1,
    stays: (result: Node) => boolean = () => false,
  ) {
    this.graph = graph
    this.schedule = schedule(graph, rounding)
    this.#machine = machine
    this.bodies = bodiesOf(this.schedule, machine, rounding, machine.base, threads)
    this.emitted = emit(
      graph,
      this.schedule,
      this.bodies.at(-1)?.end ?? machine.base,
      ({ name, dtype }) => machine.tableOf(name, dtype),
      (dtype) => machine.edgesOf(dtype),
      { threads, stays },
    )
    this.#images = [...this.bodies.flatMap(({ images }) => images), this.emitted]
    this.#strange = this.#images.some(({ strange }) => strange)
    this.#host = new ProgramHost(this.emitted.calls, this.bodies, machine)
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
    clock?: number[],
  ): readonly Tensor[] | undefined {
    if (this.#strange) return undefined
    clock?.push(performance.now())
    this.#put(args)
    const host = this.#host
    try {
      const strange = clock ? this.#clocked(clock) : this.#machine.run(this.emitted.enterAt, host)
      if (strange || host.strange) return undefined
      const results: Tensor[] = []
      for (let i = 0; i < this.#results.length; i++) {
        results.push(this.#take(this.#results[i]!, args, storage[i]))
      }
      clock?.push(performance.now())
      return results
    } finally {
      host.forget()
    }
  }

  /** Runs step by step, and notes when each of them begins: milliseconds. */
  #clocked(clock: number[]): boolean {
    const { enterAt, stepsAt } = this.emitted
    const machine = this.#machine
    let strange = machine.runPart(enterAt, stepsAt[0]!, this.#host)
    clock.push(performance.now())
    for (let i = 0; i + 1 < stepsAt.length; i++) {
      if (machine.runPart(stepsAt[i]!, stepsAt[i + 1]!, this.#host)) strange = true
      clock.push(performance.now())
    }
    return machine.run(stepsAt.at(-1)!, this.#host) || strange
  }

  #take({ output, stored, at }: Result, args: readonly Tensor[], into: Tensor['data'] | undefined): Tensor {
    if (at !== undefined) return remade(output, takeElements(this.#machine.views, at, output, into))
    if (stored.source.kind === 'constant') return stored.source.tensor
    if (stored.source.kind !== 'argument') {
      return remade(output, this.#host.made.get(stored) ?? new (dtypeFacts(output.dtype).storage)(0))
    }
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
      this.#host.forget()
    }
    return least
  }

  /** Puts the program and its arguments in their places. */
  #put(args: readonly Tensor[]): void {
    const { emitted } = this
    const machine = this.#machine
    machine.reserve(emitted.end + slack)
    machine.own(this, this.#images)
    this.#host.strange = false
    this.#host.args = args
    const { views } = machine
    for (const { node, at, codes } of emitted.arguments) {
      putElements(views, at, argumentOf(node, args), codes)
    }
  }
}

function remade(node: Node, data: Tensor['data']): Tensor {
  return new Tensor(node.dtype, node.shape, data)
}
