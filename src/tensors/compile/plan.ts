import { flopsOf, productOf, type Shape, stackOf, type Work } from '../tensor/index.js'
import type { Emitted } from './emit/emitted.js'
import { lastReads } from './emit/lives.js'
import { bytesEach } from './emit/planEdges.js'
import { mostInTile } from './emit/planStreams.js'
import { isLoop, isScan, type Step } from './emit/schedule.js'
import type { Graph, Node } from './graph/graph.js'
import { widthOf } from './graph/values.js'
import type { LoopBody } from './run/loopBody.js'
import type { Program } from './run/program.js'

/**
 * One thing that a program does: a loop over blocks, or one operation. Its kind is 'loop', 'matmul', 'sum', 'extremum', 'cumsum', 'join',
 * 'take', 'scatter', 'copy', 'scan': a loop of f's own, or 'call': an operation by its own kernel. What stays within a block of a
 * loop is no byte of its.
 */
export interface PlannedStep extends Work {
  /** Into how many parts it is split for threads; a scan: the most that a step of one turn is. */
  readonly parts: number
  /** Bytes of values that lie in memory while it runs. */
  readonly alive: number
}

/** What a function was compiled to, for the arguments of its latest call. */
export interface Plan {
  readonly steps: readonly PlannedStep[]
  /** Operations that f ran, and those that are left. */
  readonly recorded: number
  readonly operations: number
  /** The tensors that f closes over: they are constants of the program, not seen when they change. */
  readonly constants: readonly { readonly dtype: string; readonly shape: Shape; readonly bytes: number }[]
  /** Bytes of values alive at once, at most, and if each had its own memory. */
  readonly peakBytes: number
  readonly unplannedBytes: number
  /** The steps as a table. */
  toString(): string
}

/** The time of each step of a program. */
export interface Profile {
  readonly steps: readonly (PlannedStep & { readonly microseconds: number })[]
  /** The steps as a table, the slowest first. */
  toString(): string
}

/** The source lines that led to the operations of a graph, by the number of the node. */
export type Stacks = readonly (readonly string[])[]

/** Those of a recording that kept sites; `until` as of `stackOf`. */
export function stacksOf({ nodes }: Graph, until: string | undefined): Stacks {
  return nodes.map(({ site }) => (site ? stackOf({ site }, until) : []))
}

/** What a program does, step by step, and the lines that asked for it where they are known. */
export function planOf({ graph, schedule, emitted, bodies }: Program, stacks: Stacks = []): Plan {
  const lives = [...lastReads(graph, schedule, false)]
  const steps = schedule.steps.map((step, i): PlannedStep => {
    const parts = isScan(step)
      ? partsWithin(bodies.find((body) => body.step === step)!)
      : (emitted.parts[i] ?? 1)
    const there = lives.filter(([, { from, to }]) => from <= i + 1 && to >= i + 1)
    const alive = there.reduce((sum, [node]) => sum + bytesAlive(emitted, node), 0)
    return { ...planned(step, emitted, bodies, stacks), parts, alive }
  })
  const constants = graph.nodes.flatMap(({ source, dtype, shape, size }) =>
    source.kind === 'constant' ? [{ dtype, shape, bytes: size * widthOf(dtype) }] : [],
  )
  const peakBytes = emitted.valueBytes + bytesWithin(bodies, 'valueBytes')
  const operations = graph.nodes.filter(({ source }) => source.kind === 'operation').length
  return {
    ...{ steps, recorded: graph.recorded, operations, constants },
    ...{ peakBytes, unplannedBytes: emitted.unplannedBytes + bytesWithin(bodies, 'unplannedBytes') },
    toString: () =>
      [
        `${graph.recorded} operations recorded, ${operations} left, in ${steps.length} steps`,
        `${bytesShown(peakBytes)} of values at once (${bytesShown(emitted.unplannedBytes + bytesWithin(bodies, 'unplannedBytes'))} if each had its own)`,
        ...(constants.length > 0
          ? [`constants: ${constants.map(({ dtype, shape }) => `${dtype} [${shape.join(', ')}]`).join(', ')}`]
          : []),
        ...table(steps.map((step) => ['', ...row(step)])),
      ].join('\n'),
  }
}

/** A profile of steps and their times. */
export function profileOf(steps: readonly PlannedStep[], microseconds: readonly number[]): Profile {
  const timed = steps.map((step, i) => ({ ...step, microseconds: microseconds[i]! }))
  return {
    steps: timed,
    toString: () => {
      const slowest = [...timed].sort((a, b) => b.microseconds - a.microseconds)
      return table(slowest.map((step) => [`${step.microseconds.toFixed(1)} µs`, ...row(step)])).join('\n')
    },
  }
}

function planned(step: Step, places: Emitted, bodies: readonly LoopBody[], stacks: Stacks): Work {
  const bytesOf = (node: Node): number => bytesIn(places, node)
  if (isScan(step)) {
    const { schedule, emitted, bodies: within } = bodies.find((body) => body.step === step)!
    const { length } = step.loop
    const inside = schedule.steps.map((each) => planned(each, emitted, within, []))
    const total = (count: (each: Work) => number): number =>
      inside.reduce((sum, each) => sum + count(each), 0) * length
    const operations = inside.flatMap((each) => each.operations)
    return {
      ...{ kind: 'scan', operations, shape: [length], dtype: step.results[0]!.dtype },
      // A loop is recorded once: its operations have the line that called it.
      stacks: operations.map(() => stacks[step.results[0]!.id] ?? []),
      flops: total(({ flops }) => flops),
      bytes: total(({ bytes }) => bytes),
      memory: step.results.reduce((sum, node) => sum + bytesOf(node), 0),
    }
  }
  if (isLoop(step)) {
    const { nodes, shape } = step
    const made = nodes.map(({ node }) => node).filter((node) => places.stored.has(node))
    const read = new Set(
      nodes.flatMap(({ reads }) => reads.flatMap((place) => (place ? [place.stored] : []))),
    )
    const memory = made.reduce((sum, node) => sum + bytesOf(node), 0)
    return {
      ...{ kind: 'loop', operations: nodes.map(({ node }) => nameOf(node)), shape, memory },
      stacks: nodes.map(({ node }) => stacks[node.id] ?? []),
      dtype: (made.at(-1) ?? nodes.at(-1)!.node).dtype,
      flops: nodes.reduce((sum, { node }) => sum + flops(node), 0),
      bytes: [...read].reduce((sum, node) => sum + bytesOf(node), memory),
    }
  }
  const { node, reads, does } = step
  const copies = does.kind === 'copy'
  const product = copies ? undefined : productIn(node)
  return {
    ...{
      kind: does.kind,
      operations: [copies ? 'copy' : nameOf(node)],
      shape: node.shape,
      dtype: node.dtype,
    },
    ...{ stacks: [stacks[node.id] ?? []], memory: bytesOf(node), ...(product ? { product } : {}) },
    flops: copies ? 0 : flops(node),
    bytes: reads.reduce((sum, { stored: from }) => sum + bytesOf(from), bytesOf(node)),
  }
}

function flops({ source, inputs, shape }: Node): number {
  if (source.kind !== 'operation') return 0
  return flopsOf(source.op, source.attributes, shapesOf(inputs), shape)
}

function productIn({ source, inputs, shape }: Node): Work['product'] {
  return source.kind === 'operation'
    ? productOf(source.op, shapesOf(inputs), shape, source.attributes)
    : undefined
}

const shapesOf = (nodes: readonly Node[]): readonly Shape[] => nodes.map(({ shape }) => shape)

function bytesWithin(bodies: readonly LoopBody[], which: 'valueBytes' | 'unplannedBytes'): number {
  return bodies.reduce((sum, body) => sum + body.emitted[which] + bytesWithin(body.bodies, which), 0)
}

function partsWithin({ emitted, bodies }: LoopBody): number {
  return Math.max(1, ...emitted.parts, ...bodies.map(partsWithin))
}

function nameOf({ source }: Node): string {
  return source.kind === 'operation' ? source.op.name : source.kind
}

function bytesIn(places: Emitted, node: Node): number {
  return node.size * bytesEach(places, node)
}

/** Bytes of a value that lie in memory at once. */
function bytesAlive(places: Emitted, node: Node): number {
  const bytes = bytesIn(places, node)
  return places.streamed.has(node) ? Math.min(bytes, (bytes / node.size) * mostInTile) : bytes
}

function row({ kind, operations, shape, flops, bytes, parts }: PlannedStep): string[] {
  const names =
    operations.length > 6 ? [...operations.slice(0, 5), `and ${operations.length - 5} more`] : operations
  const split = parts > 1 ? `${kind} in ${parts}` : kind
  return [split, `[${shape.join(', ')}]`, `${flops} FLOPs`, bytesShown(bytes), names.join(' ')]
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)))
  return rows.map((cells) =>
    cells
      .map((cell, i) => (i === cells.length - 1 ? cell : cell.padEnd(widths[i]!)))
      .join('  ')
      .trim(),
  )
}

function bytesShown(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`
}
