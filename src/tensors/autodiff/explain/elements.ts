import { formOf, type Op, siteOf, type Tensor } from '../../tensor/index.js'
import { type GraphNode, graphWith } from '../graph/graphOf.js'
import { exactResult } from './exactResult.js'
import type { ElementStep } from './nonFinite.js'
import { type Operands, operandsOf } from './operandsOf.js'

/** The elements of a graph: values, and which ones each was computed from. */
export interface Elements {
  readonly nodes: readonly GraphNode[]
  readonly indexOf: (x: Tensor) => number | undefined
  readonly values: (x: Tensor) => Float64Array
  /** For each input of a node the places that an element was computed from. */
  readonly operands: (node: number) => Operands
  readonly inputTensor: (node: number, input: number) => Tensor
  readonly step: (node: number, element: number) => ElementStep
}

/** Operand elements shown of one input. */
const shownOperands = 8

export function elementsOf(outputs: readonly Tensor[]): Elements {
  const { nodes, indexOf } = graphWith(outputs)
  const decoded = new Map<Tensor, Float64Array>()
  const known = new Map<number, Operands>()

  function values(x: Tensor): Float64Array {
    const before = decoded.get(x)
    if (before) return before
    const numbers = x.toNumbers()
    decoded.set(x, numbers)
    return numbers
  }

  function inputTensor(node: number, input: number): Tensor {
    const from = nodes[node]!.inputs[input]!
    return typeof from === 'number' ? nodes[from]!.output : from
  }

  function operands(node: number): Operands {
    const before = known.get(node)
    if (before) return before
    const of = operandsOf(
      nodes[node]!,
      nodes[node]!.inputs.map((_, i) => inputTensor(node, i)),
    )
    known.set(node, of)
    return of
  }

  function step(index: number, element: number): ElementStep {
    const node = nodes[index]!
    const lists = operands(index)(element)
    const numbers = lists.map((list, i) => list.map((place) => values(inputTensor(index, i))[place]!))
    return stepOf(node, element, values(node.output)[element]!, numbers)
  }

  return { nodes, indexOf, values, operands, inputTensor, step }
}

/** One element of an operation's result, the value that it has and the numbers that it was computed from. */
export function stepOf(
  node: Pick<GraphNode, 'index' | 'op' | 'record' | 'attributes' | 'output'>,
  element: number,
  value: number,
  operands: readonly (readonly number[])[],
): ElementStep {
  const { dtype, shape, trace } = node.output
  const site = trace && siteOf(trace)
  return {
    index: node.index,
    op: node.op,
    dtype,
    shape,
    at: coordinates(element, shape),
    value,
    operands,
    counts: operands.map(({ length }) => length),
    exact: exactResult(node, operands),
    ...(site !== undefined && { site }),
  }
}

/** A step with the operand elements that matter: all of few; of many those that are not finite, else the largest. */
export function trimmed<S extends ElementStep>(op: Op, step: S): S {
  const { operands } = step
  if (operands.every(({ length }) => length <= shownOperands)) return step
  if (formOf(op) === 'dot') {
    const [a = [], b = []] = operands
    const places = foremost(a.map((x, i) => x * b[i]!))
    return { ...step, operands: operands.map((list) => places.map((place) => list[place]!)) }
  }
  return { ...step, operands: operands.map((list) => foremost(list).map((place) => list[place]!)) }
}

/** The places of the elements that matter, in ascending order. */
function foremost(numbers: readonly number[]): number[] {
  const rank = (x: number): number => (Number.isNaN(x) ? Infinity : Math.abs(x))
  const order = numbers.map((_, place) => place)
  order.sort((i, j) => Math.sign(rank(numbers[j]!) - rank(numbers[i]!)) || i - j)
  return order.slice(0, shownOperands).sort((i, j) => i - j)
}

function coordinates(element: number, shape: readonly number[]): number[] {
  const at = new Array<number>(shape.length)
  let rest = element
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    at[axis] = rest % shape[axis]!
    rest = Math.floor(rest / shape[axis]!)
  }
  return at
}
