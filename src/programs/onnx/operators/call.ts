import { isSealed, type Tensor } from '../../../tensors/tensor/index.js'
import type { AttributeValue, Graph, Node } from '../file/model.js'

/** What an operator computes: its inputs, in order; an input that is left out is undefined. */
export type Operator = (
  call: Call,
  ...inputs: (Tensor | undefined)[]
) => Tensor | readonly (Tensor | undefined)[]

/** Runs a graph that is an attribute of the node: its inputs by position, its outputs likewise. */
export type RunSubgraph = (graph: Graph, inputs: readonly Tensor[]) => readonly Tensor[]

/** One node as its operator sees it: attributes by kind, and errors that name the node. */
export class Call {
  readonly node: Node
  /** The version of the domain's operators. */
  readonly opset: number
  readonly run: RunSubgraph
  readonly #attributes: ReadonlyMap<string, AttributeValue>

  constructor(node: Node, opset: number, attributes: ReadonlyMap<string, AttributeValue>, run: RunSubgraph) {
    this.node = node
    this.opset = opset
    this.run = run
    this.#attributes = attributes
  }

  /** A RangeError that names the node and its Python line. */
  error(problem: string, ...values: unknown[]): RangeError {
    return new RangeError(
      `programOfOnnx: ${this.node.operator} ${problem} [${[...values, this.label].join(', ')}]`,
    )
  }

  /** The node's name and where it comes from. */
  get label(): string {
    return [this.node.name || this.node.outputs[0], this.node.frames[0]].filter(Boolean).join(' at ')
  }

  has(name: string): boolean {
    return this.#attributes.has(name)
  }

  number(name: string, otherwise: number): number {
    const value = this.#attributes.get(name) ?? otherwise
    if (typeof value !== 'number') throw this.error(`has an attribute ${name} that is no number`)
    return value
  }

  flag(name: string, otherwise = 0): boolean {
    return this.number(name, otherwise) !== 0
  }

  text(name: string, otherwise: string): string {
    const value = this.#attributes.get(name) ?? otherwise
    if (typeof value !== 'string') throw this.error(`has an attribute ${name} that is no text`)
    return value
  }

  numbers(name: string): readonly number[] | undefined {
    const value = this.#attributes.get(name)
    if (value === undefined) return undefined
    if (!Array.isArray(value) || value.some((one) => typeof one !== 'number')) {
      throw this.error(`has an attribute ${name} that is no list of numbers`)
    }
    return value as readonly number[]
  }

  texts(name: string): readonly string[] | undefined {
    const value = this.#attributes.get(name)
    if (value === undefined) return undefined
    if (!Array.isArray(value) || value.some((one) => typeof one !== 'string')) {
      throw this.error(`has an attribute ${name} that is no list of texts`)
    }
    return value as readonly string[]
  }

  tensor(name: string): Tensor | undefined {
    return this.#attributes.get(name) as Tensor | undefined
  }

  graph(name: string): Graph {
    const value = this.#attributes.get(name)
    if (value === undefined) throw this.error(`has no graph ${name}`)
    return value as Graph
  }

  /** An input that must be there. */
  need(x: Tensor | undefined, index: number): Tensor {
    if (x === undefined) throw this.error(`lacks its input ${index}`)
    return x
  }

  /**
   * The elements of an input that decides shapes or positions. They must be known when the program is recorded: from the file, from the
   * shapes of other tensors, or an argument of a program that is not compiled.
   */
  known(x: Tensor, what: string): readonly number[] {
    if (isSealed(x)) {
      throw this.error(`needs ${what} as constants, not computed from arguments of a compiled program`)
    }
    return [...x.toNumbers()]
  }

  /** An axis, negative ones from the end. */
  axis(axis: number, rank: number): number {
    if (!Number.isInteger(axis) || axis < -rank || axis >= Math.max(rank, 1)) {
      throw this.error(`has no axis ${axis} in rank ${rank}`)
    }
    return axis < 0 ? axis + rank : axis
  }

  /** A list that is an attribute in older operators and an input in newer ones. */
  list(name: string, input: Tensor | undefined): readonly number[] | undefined {
    return input === undefined ? this.numbers(name) : this.known(input, name)
  }
}
