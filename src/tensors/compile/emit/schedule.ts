import type { Loop as Scanning } from '../../autodiff/index.js'
import type {
  Accumulation,
  Extremum,
  Joining,
  Reduction,
  Scan,
  ScatteringAt,
  Shape,
  Taking,
  Tensor,
} from '../../tensor/index.js'
import { indexedOps, ops, sameShape, sizeOf } from '../../tensor/index.js'
import * as code from '../engine/opcodes.js'
import type { Graph, Node } from '../graph/graph.js'
import { type Loop, loopOf } from '../graph/lowering.js'
import { isWord, roundingOf } from '../graph/values.js'
import { isContiguous, movedView, type View, wholeView } from '../graph/view.js'

/** Where the elements of a value lie: those of a value that is stored, in some order. */
export interface Place {
  readonly stored: Node
  readonly view: View
}

/** One thing that a program does. */
export type Step = LoopStep | NodeStep | ScanStep

/** Elementwise operations over one shape, block by block. */
export interface LoopStep {
  readonly kind: 'loop'
  readonly shape: Shape
  readonly nodes: readonly LoopNode[]
}

/** A value of a loop: instructions, or the elements of its only operand as they are. */
export interface LoopNode {
  readonly node: Node
  /** The value as it is computed: in float32 where roundings are left out, else itself. */
  readonly as: Node
  readonly loop: Exclude<Loop, undefined>
  /** Where its operands lie; undefined for those that the loop makes. */
  readonly reads: readonly (Place | undefined)[]
}

/**
 * Where a program rounds: after 'each' operation, as the function itself does, or, for bfloat16, when a loop stores a value: 'fused'.
 */
export type Rounding = 'each' | 'fused'

/** A bfloat16 operation as one of float32; a cast stays what the function asks for. */
function widened(node: Node): Node {
  const { source, dtype, inputs } = node
  if (source.kind !== 'operation' || source.op === ops.cast) return node
  if (dtype !== 'bfloat16') return node
  const wide = (x: Node): Node => (x.dtype === 'bfloat16' ? { ...x, dtype: 'float32' } : x)
  return { ...wide(node), inputs: inputs.map(wide) }
}

/** One operation, and where its operands lie. */
export interface NodeStep {
  readonly node: Node
  readonly reads: readonly Place[]
  readonly does: Lowered
}

/** A loop of the function's own: its body is a program by itself. */
export interface ScanStep {
  readonly loop: Scanning
  readonly run: readonly Tensor[]
  readonly reads: readonly Place[]
  /** Those of its results that something reads. */
  readonly results: readonly Node[]
}

/** Whether a step is a loop of the function's own. */
export function isScan(step: Step): step is ScanStep {
  return 'results' in step
}

/** How an operation is done. */
export type Lowered =
  | { readonly kind: 'matmul' }
  | { readonly kind: 'sum'; readonly lanes: Lanes; readonly how: Accumulation; readonly divisor: number }
  | { readonly kind: 'extremum'; readonly lanes: Lanes; readonly largest: boolean }
  | { readonly kind: 'cumsum'; readonly lanes: Lanes; readonly how: Accumulation }
  /** Parts concatenated along the middle axis of [outer, length, inner]. */
  | { readonly kind: 'join'; readonly lanes: Lanes }
  /** Rows of the middle of [outer, length, inner] by their numbers: known ones, or those of the second operand. */
  | { readonly kind: 'take'; readonly lanes: Lanes; readonly indices: Int32Array | undefined }
  /** Rows added to those of the middle of [outer, length, inner] by their numbers, the second operand. */
  | { readonly kind: 'scatter'; readonly lanes: Lanes; readonly how: Accumulation }
  /** By its own kernel. */
  | { readonly kind: 'call' }
  /** The elements of a view copied row-major, for steps that need them contiguous. */
  | { readonly kind: 'copy' }

/** Whether a step is a loop. */
export function isLoop(step: Step): step is LoopStep {
  return 'nodes' in step
}

/** An array [outer, length, inner] whose lanes run along the middle. */
export interface Lanes {
  readonly outer: number
  readonly length: number
  readonly inner: number
}

/** The steps of a graph in an order in which each finds what it reads, and where every value lies. */
export interface Schedule {
  readonly steps: readonly Step[]
  placeOf(node: Node): Place
}

/** Orders a graph: whatever is no loop as soon as it can run, then as many elementwise operations of one shape as can. */
export function schedule(graph: Graph, rounding: Rounding): Schedule {
  const steps: Step[] = []
  const places = new Map<Node, Place>()
  const pending = new Set<Node>()
  for (const node of graph.nodes) {
    if (node.source.kind === 'argument' || node.source.kind === 'constant') store(node)
    else pending.add(node)
  }
  const loops = new Map<Node, Loop>()
  const computed = (node: Node): Node => (rounding === 'fused' ? widened(node) : node)
  for (const node of pending) loops.set(node, node.size === 0 ? undefined : loopOf(computed(node)))

  function store(node: Node): void {
    places.set(node, { stored: node, view: wholeView(node.shape) })
    pending.delete(node)
  }

  /** The value as a view of one that is stored; undefined where it is none. */
  function viewed(node: Node): Place | undefined {
    const from = node.inputs[0] && places.get(node.inputs[0])
    if (!from || node.size === 0) return undefined
    if (node.source.kind === 'reshaped') {
      return isContiguous(from.view)
        ? { stored: from.stored, view: { ...wholeView(node.shape), start: from.view.start } }
        : undefined
    }
    if (node.source.kind !== 'operation') return undefined
    const { op, attributes } = node.source
    const view = movedView(op, attributes, from.view)
    return view && { stored: from.stored, view }
  }

  /** Puts a copy of a value, in row-major order, where its view was. */
  function settle(node: Node): void {
    const place = places.get(node)!
    if (isContiguous(place.view)) return
    // What was a view before is read as one by what ran before, and from here on as it lies now.
    steps.push({ node, reads: [place], does: { kind: 'copy' } })
    places.set(node, { stored: node, view: wholeView(node.shape) })
  }

  /** A move that needs its operand's elements in order. */
  function viewedSettled(node: Node): Place | undefined {
    const moves =
      node.source.kind === 'reshaped' || (node.source.kind === 'operation' && node.source.op === ops.slice)
    if (!moves || node.size === 0) return undefined
    settle(node.inputs[0]!)
    return viewed(node)
  }

  const ready = (node: Node): boolean => node.inputs.every((input) => places.has(input))

  function runReady(): boolean {
    let ran = false
    for (const node of pending) {
      if (loops.get(node) || !ready(node)) continue
      ran = true
      if (node.source.kind === 'scanned') {
        runScan(node.source, node.inputs)
        continue
      }
      const place = viewed(node) ?? viewedSettled(node)
      if (place) {
        places.set(node, place)
        pending.delete(node)
        continue
      }
      const does = loweredOf(node)
      if (does.kind !== 'matmul') for (const input of node.inputs) settle(input)
      steps.push({ node, reads: node.inputs.map((input) => places.get(input)!), does })
      store(node)
    }
    return ran
  }

  function runScan(
    { loop, run }: Extract<Node['source'], { kind: 'scanned' }>,
    inputs: readonly Node[],
  ): void {
    for (const input of inputs) settle(input)
    const results = [...pending].filter(({ source }) => source.kind === 'scanned' && source.run === run)
    steps.push({ loop, run, reads: inputs.map((input) => places.get(input)!), results })
    for (const result of results) store(result)
  }

  /** Of the loops that can run the one with the fewest elements: what it makes may let a larger one do more at once. */
  function nextShape(): Shape | undefined {
    let least: Node | undefined
    for (const node of pending) {
      if (loops.get(node) && ready(node) && !(least && least.size <= node.size)) least = node
    }
    return least?.shape
  }

  function runLoop(): boolean {
    const group: LoopNode[] = []
    const members = new Set<Node>()
    const shape = nextShape()
    if (!shape) return false
    for (const node of pending) {
      const loop = loops.get(node)
      if (!loop || !sameShape(shape, node.shape)) continue
      if (!node.inputs.every((input) => places.has(input) || members.has(input))) continue
      group.push({ node, as: computed(node), loop, reads: node.inputs.map((input) => places.get(input)) })
      members.add(node)
    }
    for (const node of members) store(node)
    steps.push({ kind: 'loop', shape, nodes: group })
    return true
  }

  while (pending.size > 0) {
    if (!runReady() && !runLoop()) throw new Error('compile: a value waits for itself')
  }
  for (const output of graph.outputs) {
    // What comes out is taken from memory as it lies there, and so has a stretch to itself.
    const { stored, view } = places.get(output)!
    if (isContiguous(view) && stored.size === output.size) continue
    steps.push({ node: output, reads: [places.get(output)!], does: { kind: 'copy' } })
    places.set(output, { stored: output, view: wholeView(output.shape) })
  }
  return { steps, placeOf: (node) => places.get(node)! }
}

function loweredOf(node: Node): Lowered {
  if (node.source.kind !== 'operation' || node.size === 0) return { kind: 'call' }
  const { op, attributes } = node.source
  const x = node.inputs[0]
  // A part of nothing, joined to others, is left out.
  if (!x || (x.size === 0 && op !== ops.concat)) return { kind: 'call' }
  switch (op) {
    case ops.matmul: {
      const how = attributes as Accumulation
      const fits = how.order === 'sequential' && how.accumulate === 'float32'
      return { kind: fits && roundingOf(node.dtype) !== undefined ? 'matmul' : 'call' }
    }
    case ops.sum:
    case ops.mean: {
      const { axes, how } = attributes as Reduction
      const lanes = lanesAlong(x.shape, axes)
      if (!lanes || !adds(x, how)) return { kind: 'call' }
      return { kind: 'sum', lanes, how, divisor: op === ops.mean ? lanes.length : 0 }
    }
    case ops.max:
    case ops.min: {
      const lanes = lanesAlong(x.shape, (attributes as Extremum).axes)
      const known = x.dtype === 'float64' || roundingOf(x.dtype) !== undefined
      if (!lanes || !known) return { kind: 'call' }
      return { kind: 'extremum', lanes, largest: op === ops.max }
    }
    case ops.cumsum: {
      const { axis, how } = attributes as Scan
      const lanes = lanesAlong(x.shape, [axis])
      if (!lanes || x.dtype === 'float64' || !adds(x, how)) return { kind: 'call' }
      return { kind: 'cumsum', lanes, how }
    }
    case ops.concat:
      return { kind: 'join', lanes: lanesAlong(node.shape, [(attributes as Joining).axis])! }
    case ops.take:
    case indexedOps.takeAt: {
      const { axis, indices } = attributes as Omit<Taking, 'indices'> & Partial<Taking>
      return { kind: 'take', lanes: lanesAlong(x.shape, [axis])!, indices }
    }
    case indexedOps.scatterAt: {
      const { taking, shape, how } = attributes as ScatteringAt
      const lanes = lanesAlong(shape, [taking.axis])
      if (!lanes || x.dtype === 'float64' || how.accumulate === 'float64' || !adds(x, how)) {
        return { kind: 'call' }
      }
      return { kind: 'scatter', lanes, how }
    }
    default:
      return { kind: 'call' }
  }
}

/** Whether sums of this kind have a loop: from the first element on, in an accumulator that holds the elements. */
function adds(x: Node, how: Accumulation): boolean {
  if (how.order !== 'sequential') return false
  if (x.dtype === 'float64') return how.accumulate === 'float64'
  if (!isWord(x.dtype) || roundingOf(x.dtype) === undefined) return false
  return (
    stepsOf(how) !== undefined &&
    (how.accumulate === x.dtype || ['float32', 'float64'].includes(how.accumulate))
  )
}

/** How each step of a sum is rounded. */
export function stepsOf({ accumulate }: Accumulation): number | undefined {
  if (accumulate === 'float64') return code.TO_FLOAT64
  return roundingOf(accumulate)
}

/** The lanes along some axes, ascending, where they follow each other. */
function lanesAlong(shape: Shape, axes: readonly number[]): Lanes | undefined {
  if (axes.length === 0) return undefined
  const first = axes[0]!
  if (axes.some((axis, i) => axis !== first + i)) return undefined
  const end = first + axes.length
  return {
    outer: sizeOf(shape.slice(0, first)),
    length: sizeOf(shape.slice(first, end)),
    inner: sizeOf(shape.slice(end)),
  }
}
