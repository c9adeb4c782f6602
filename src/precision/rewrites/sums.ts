import { opName, type Reduction, sameShape, sizeOf } from '../../tensors/tensor/index.js'
import type { Operand, Step } from '../program/program.js'
import type { Options } from './expression.js'
import type { Graph } from './graph.js'

/** A sum over axes, times a number. */
export interface ScaledSum {
  /** What is summed. */
  readonly x: Operand
  readonly axes: readonly number[]
  /** Elements in each sum. */
  readonly count: number
  /** 1 of a sum, 1 / count of a mean. */
  readonly scale: number
  /** The step that adds. */
  readonly step: Step
}

/** An operand before operations that only change its shape: reshape (also expand, squeeze) and broadcast. */
export function unshaped(graph: Graph, operand: Operand): Operand {
  const [x] = graph.read(operand, 'reshape', 'broadcastTo') ?? []
  return x === undefined ? graph.bare(operand) : unshaped(graph, x)
}

/** A sum or a mean, multiplied and divided by numbers. */
export function scaledSum(graph: Graph, operand: Operand): ScaledSum | undefined {
  const at = unshaped(graph, operand)
  const step = graph.stepOf(at)
  if (!step) return undefined
  const name = opName(step.op)
  const [a, b] = step.operands
  if (name === 'sum' || name === 'mean') {
    const { axes } = step.attributes as Reduction
    const shape = graph.shapeOf(a!)
    const count = sizeOf(axes.map((axis) => shape[axis]!))
    return { x: a!, axes, count, scale: name === 'sum' ? 1 : 1 / count, step }
  }
  if (name !== 'mul' && name !== 'div') return undefined
  const [first, second] = [graph.constant(a!), graph.constant(b!)]
  if (name === 'mul' && first !== undefined) return times(scaledSum(graph, b!), first)
  if (second === undefined) return undefined
  return times(scaledSum(graph, a!), name === 'mul' ? second : 1 / second)
}

function times(sum: ScaledSum | undefined, factor: number): ScaledSum | undefined {
  return sum && { ...sum, scale: sum.scale * factor }
}

/** Whether two sums run along the same axes of values of one shape. */
export function alongside(graph: Graph, a: ScaledSum, b: ScaledSum): boolean {
  const [x, y] = [graph.shapeOf(a.x), graph.shapeOf(b.x)]
  return sameShape(x, y) && a.axes.length === b.axes.length && a.axes.every((axis, k) => axis === b.axes[k])
}

/** The exponents of a plain sum of exponentials, that divides or is subtracted from something of their shape. */
export function summedExp(
  graph: Graph,
  operand: Operand,
): { readonly x: Operand; readonly axes: readonly number[] } | undefined {
  const sum = scaledSum(graph, operand)
  const [x] = sum && sum.scale === 1 ? (graph.read(sum.x, 'exp') ?? []) : []
  return x === undefined ? undefined : { x, axes: sum!.axes }
}

/** What a value was before it was broadcast. */
export function unbroadcast(graph: Graph, operand: Operand): Operand {
  const [x] = graph.read(operand, 'broadcastTo') ?? []
  return x === undefined ? operand : unbroadcast(graph, x)
}

/** Whether a sum, shaped as it is, meets the elements that it is of: with its axes kept at length 1, or broadcast so. */
export function standsBeside(graph: Graph, operand: Operand, sum: Pick<ScaledSum, 'x' | 'axes'>): boolean {
  const shape = graph.shapeOf(sum.x)
  const own = graph.shapeOf(unbroadcast(graph, operand))
  const padded = [...shape.slice(own.length).map(() => 1), ...own]
  return padded.every((length, axis) => length === (sum.axes.includes(axis) ? 1 : shape[axis]))
}

/** Options with the one that names axes, where they are not what a function takes by itself. */
export function axisOptions(
  graph: Graph,
  { x, axes }: Pick<ScaledSum, 'x' | 'axes'>,
  usual: 'all' | 'last',
  others?: Options,
): Options | undefined {
  const { length } = graph.shapeOf(x)
  const [first] = axes
  const isUsual =
    (axes.length === length && (usual === 'all' || length === 1)) ||
    (usual === 'last' && axes.length === 1 && first === length - 1)
  const axis = axes.length !== 1 ? axes : first === length - 1 ? -1 : first!
  const given = { ...(!isUsual && { axis }), ...others }
  return Object.values(given).some((value) => value !== undefined) ? given : undefined
}

/** The option that keeps reduced axes, where a step's result has them. */
export function kept(graph: Graph, i: number, x: Operand): { readonly keepDims?: true } {
  const rank = graph.shapeOf(x).length
  return rank > 0 && graph.shapeOf(graph.valueOf(i)).length === rank ? { keepDims: true } : {}
}
