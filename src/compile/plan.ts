import { roundsOf, type Shape, sizeOf } from '../tensor/index.js'
import type { Emitted } from './emitted.js'
import type { Node } from './graph.js'
import type { LoopBody } from './loopBody.js'
import type { Program } from './program.js'
import { isLoop, isScan, type Step } from './schedule.js'
import { bytesOutside, widthOf } from './values.js'

/** One thing that a program does: a loop over blocks, or one operation. */
export interface PlannedStep {
  /** 'loop', 'matmul', 'sum', 'extremum', 'cumsum', 'join', 'take', 'scatter', 'copy', 'scan': a loop of f's own, or 'call': an operation by its own kernel. */
  readonly kind: string
  /** What is computed, in order. */
  readonly operations: readonly string[]
  /** The shape of the result, of a loop that of all of them. */
  readonly shape: Shape
  /** Multiplications, additions, functions and comparisons of elements. */
  readonly flops: number
  /** Bytes of values read from and written to memory; what stays within a block of a loop is none. */
  readonly bytes: number
  /** Into how many parts it is split for threads. */
  readonly parts: number
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

/** What a program does, step by step. */
export function planOf({ graph, schedule, emitted, bodies }: Program): Plan {
  const steps = schedule.steps.map((step, i) => planned(step, emitted, bodies, emitted.parts[i]!))
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

function planned(step: Step, places: Emitted, bodies: readonly LoopBody[], parts = 1): PlannedStep {
  const bytesOf = (node: Node): number => bytesIn(places, node)
  if (isScan(step)) {
    const { schedule, emitted, bodies: within } = bodies.find((body) => body.step === step)!
    const { length } = step.loop
    const inside = schedule.steps.map((each) => planned(each, emitted, within))
    const total = (count: (each: PlannedStep) => number): number =>
      inside.reduce((sum, each) => sum + count(each), 0) * length
    return {
      kind: 'scan',
      operations: inside.flatMap(({ operations }) => operations),
      shape: [length],
      flops: total(({ flops }) => flops),
      bytes: total(({ bytes }) => bytes),
      parts,
    }
  }
  if (isLoop(step)) {
    const { nodes, shape } = step
    const size = sizeOf(shape)
    const made = nodes.map(({ node }) => node).filter((node) => places.stored.has(node))
    const read = new Set(
      nodes.flatMap(({ reads }) => reads.flatMap((place) => (place ? [place.stored] : []))),
    )
    return {
      kind: 'loop',
      operations: nodes.map(({ node }) => nameOf(node)),
      shape,
      flops: nodes.filter(({ node }) => computes(node)).length * size,
      bytes: [...read, ...made].reduce((sum, node) => sum + bytesOf(node), 0),
      parts,
    }
  }
  const { node, reads, does } = step
  const read = reads.reduce((sum, { stored }) => sum + stored.size, 0)
  const flops =
    does.kind === 'matmul' ? 2 * node.size * node.inputs[0]!.shape.at(-1)! : computes(node) ? read : 0
  return {
    kind: does.kind,
    operations: [does.kind === 'copy' ? 'copy' : nameOf(node)],
    shape: node.shape,
    flops,
    bytes: reads.reduce((sum, { stored }) => sum + bytesOf(stored), bytesOf(node)),
    parts,
  }
}

function bytesWithin(bodies: readonly LoopBody[], which: 'valueBytes' | 'unplannedBytes'): number {
  return bodies.reduce((sum, body) => sum + body.emitted[which] + bytesWithin(body.bodies, which), 0)
}

function nameOf({ source }: Node): string {
  return source.kind === 'operation' ? source.op.name : source.kind
}

function computes({ source }: Node): boolean {
  return source.kind === 'operation' && roundsOf(source.op) !== 'never'
}

function bytesIn({ codes }: Emitted, node: Node): number {
  const bytes = codes.has(node) ? bytesOutside(node.dtype) : undefined
  return node.size * (bytes ?? widthOf(node.dtype))
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
