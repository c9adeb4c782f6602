import { emit } from '../emit/emit.js'
import type { Emitted, ScanCall } from '../emit/emitted.js'
import { isScan, type Rounding, type ScanStep, type Schedule, schedule } from '../emit/schedule.js'
import type { Machine } from '../engine/machine.js'
import { up32 } from '../engine/memory.js'
import { type Graph, graphOf, type Node } from '../graph/graph.js'
import { widthOf } from '../graph/values.js'
import { ProgramHost, type RunsLoop } from './host.js'

/** Words to be copied: from where, to where, how many. */
interface Copy {
  readonly to: number
  readonly from: number
  readonly words: number
}

const wordsOf = ({ size, dtype }: Node): number => (size * widthOf(dtype)) / 4

/**
 * The body of a loop as a program inside of another: what it captured and carries lies in memory of its own from step to step,
 * a row of each stacked value is copied in, and a row of each stacked result out.
 */
export class LoopBody implements RunsLoop {
  readonly step: ScanStep
  readonly graph: Graph
  readonly schedule: Schedule
  readonly emitted: Emitted
  /** The loops within. */
  readonly bodies: readonly LoopBody[]
  /** The end of all memory that it uses. */
  readonly end: number
  readonly #machine: Machine
  readonly #host: ProgramHost
  /** The results whose rows are stacked. */
  readonly #stacked: readonly Node[]
  /** What is carried, to where the next step reads it; through `#between` where they would overwrite each other. */
  readonly #carry: readonly Copy[]
  readonly #between: readonly Copy[]

  constructor(step: ScanStep, machine: Machine, rounding: Rounding, base: number, threads: number) {
    const { loop, results } = step
    const { body, carries } = loop
    this.step = step
    this.#machine = machine
    this.#stacked = results.filter((result) => indexOf(result) >= carries)
    const stacked = this.#stacked.map((result) => body.outputs[indexOf(result)]!)
    this.graph = graphOf([...body.outputs.slice(0, carries), ...stacked], [...body.captured, ...body.inputs])
    this.schedule = schedule(this.graph, rounding)
    this.bodies = bodiesOf(this.schedule, machine, rounding, base, threads)
    this.emitted = emit(
      this.graph,
      this.schedule,
      this.bodies.at(-1)?.end ?? base,
      ({ name, dtype }) => machine.tableOf(name, dtype),
      (dtype) => machine.edgesOf(dtype),
      { inside: true, threads },
    )
    const { arguments: places, results: gives, calls } = this.emitted
    this.#host = new ProgramHost(calls, this.bodies, machine)
    const captures = body.captured.length
    const carry = places.flatMap(({ node, at }): Copy[] => {
      const k = argumentIndex(node) - captures
      return k >= 0 && k < carries ? [{ to: at, from: gives[k]!, words: wordsOf(node) }] : []
    })
    const targets = new Set(carry.map(({ to }) => to))
    let end = up32(this.emitted.end)
    const between: Copy[] = []
    this.#carry = carry.map((copy): Copy => {
      if (copy.from === copy.to || !targets.has(copy.from)) return copy
      between.push({ ...copy, to: end })
      end = up32(end + copy.words * 4)
      return { ...copy, from: between.at(-1)!.to }
    })
    this.#between = between
    this.end = end
  }

  /** The images of this program and of those within. */
  get images(): readonly Emitted[] {
    return [...this.bodies.flatMap(({ images }) => images), this.emitted]
  }

  run({ inputs, results }: ScanCall): boolean {
    const { emitted, step } = this
    const { body, carries, length, reverse } = step.loop
    const memory = new Uint32Array(this.#machine.buffer)
    const copy = (to: number, from: number, words: number): void => {
      if (words === 1) memory[to / 4] = memory[from / 4]!
      else memory.copyWithin(to / 4, from / 4, from / 4 + words)
    }
    const rowsFrom = body.captured.length + carries
    const rows: Copy[] = []
    for (const { node, at } of emitted.arguments) {
      const index = argumentIndex(node)
      const each = { to: at, from: inputs[index]!, words: wordsOf(node) }
      if (index >= rowsFrom) rows.push(each)
      else copy(each.to, each.from, each.words)
    }
    const out: Copy[] = []
    const last: Copy[] = []
    for (const [i, result] of step.results.entries()) {
      const k = indexOf(result)
      const to = results[i]!
      if (k < carries) {
        last.push({ to, from: emitted.results[k]!, words: wordsOf(result) })
      } else {
        const from = emitted.results[carries + this.#stacked.indexOf(result)]!
        out.push({ to, from, words: wordsOf(result) / length })
      }
    }
    this.#host.strange = false
    for (let n = 0; n < length; n++) {
      const i = reverse ? length - 1 - n : n
      for (const { to, from, words } of rows) copy(to, from + i * words * 4, words)
      if (this.#machine.run(emitted.stepsAt[0]!, this.#host) || this.#host.strange) return true
      for (const { to, from, words } of out) copy(to + i * words * 4, from, words)
      if (n === length - 1) {
        for (const { to, from, words } of last) copy(to, from, words)
      } else {
        for (const { to, from, words } of this.#between) copy(to, from, words)
        for (const { to, from, words } of this.#carry) copy(to, from, words)
      }
    }
    return false
  }
}

/** The bodies of the loops of a schedule, one behind the other in memory. */
export function bodiesOf(
  { steps }: Schedule,
  machine: Machine,
  rounding: Rounding,
  base: number,
  threads: number,
): LoopBody[] {
  const bodies: LoopBody[] = []
  for (const step of steps) {
    if (isScan(step)) bodies.push(new LoopBody(step, machine, rounding, bodies.at(-1)?.end ?? base, threads))
  }
  return bodies
}

function indexOf({ source }: Node): number {
  if (source.kind !== 'scanned') throw new Error(`compile: no result of a loop [${source.kind}]`)
  return source.index
}

function argumentIndex({ source }: Node): number {
  if (source.kind !== 'argument') throw new Error(`compile: no argument [${source.kind}]`)
  return source.index
}
