import { checkName, checkOptions, checkRecord, type OptionTable } from '../../base/options/index.js'
import { Tensor, withLocation } from '../../tensors/tensor/index.js'
import type { AttributeValue, Graph, GraphValue, ModelFunction, Node, OnnxModel } from './file/model.js'
import { Call } from './operators/call.js'
import { operatorOf } from './operators.js'

/** How a model becomes a function. */
export interface ProgramOfOnnxOptions {
  /**
   * Whether the weights in the file are constants of the program, or arguments that one can change and differentiate. Default
   * 'constants'.
   */
  readonly weights?: 'constants' | 'arguments'
}

const names: OptionTable<ProgramOfOnnxOptions> = { weights: 'optional' }

/** Tensors by the names of the model's inputs or outputs. */
export type NamedTensors = Record<string, Tensor>

/** An ONNX model as a function of tensors. */
export interface OnnxProgram {
  /** The graph's inputs as declared; shapes may have names for axes (`batch`). */
  readonly inputs: readonly GraphValue[]
  readonly outputs: readonly GraphValue[]
  /** The weights in the file; with `weights: 'arguments'` `run` takes them as its second argument. */
  readonly weights: Readonly<NamedTensors>
  /** A function of our operations, so that `compile`, `grad`, `vmap`, `shadow`, `findFirstNonFinite` take it. */
  run(inputs: NamedTensors, weights?: NamedTensors): NamedTensors
}

/**
 * A function of tensors that computes what an ONNX model computes, in this package's operations. Every node's operations have the Python line
 * that `torch.onnx.export` kept as their source location, else the node's name.
 *
 * Rounding  each node rounds once to its dtype: products and reductions accumulate in float32, and what ONNX defines as one operator of many
 *           steps (Softmax, Gelu, the normalizations) is computed in float32 for dtypes of 16 bits and less.
 * Throws    RangeError for operators that are not known, with the node's name; for inputs that are missing or of another shape.
 *           TypeError for inputs of another dtype.
 */
export function programOfOnnx(model: OnnxModel, options: ProgramOfOnnxOptions = {}): OnnxProgram {
  checkRecord('programOfOnnx', 'model', model, ['graph', 'opsets', 'functions'])
  checkOptions('programOfOnnx', options, names)
  const { weights: how = 'constants' } = options
  checkName('programOfOnnx', 'weights', how, ['constants', 'arguments'])
  const { graph } = model
  const run = new Runner(model)
  run.check(graph)
  const weights = Object.fromEntries(graph.initializers)
  return {
    inputs: graph.inputs,
    outputs: graph.outputs,
    weights,
    run: (inputs, given) => {
      checkRecord('programOfOnnx', 'inputs', inputs)
      const values = new Map<string, Tensor>(graph.initializers)
      if (how === 'arguments') {
        for (const [name, x] of Object.entries(given ?? weights)) {
          if (!graph.initializers.has(name)) {
            throw new RangeError(`programOfOnnx: the model has no such weight [${name}]`)
          }
          values.set(name, x)
        }
      } else if (given !== undefined) {
        throw new RangeError(
          "programOfOnnx: weights are constants, make the program with { weights: 'arguments' } []",
        )
      }
      const unknown = Object.keys(inputs).find((name) => !graph.inputs.some((one) => one.name === name))
      if (unknown !== undefined) {
        const known = graph.inputs.map(({ name }) => name).join(', ')
        throw new RangeError(`programOfOnnx: the model has no such input, it has ${known} [${unknown}]`)
      }
      for (const input of graph.inputs) values.set(input.name, checkInput(input, inputs[input.name]))
      return Object.fromEntries(run.graph(graph, values).map((x, i) => [graph.outputs[i]!.name, x]))
    },
  }
}

function checkInput({ name, dtype, shape }: GraphValue, x: Tensor | undefined): Tensor {
  if (!(x instanceof Tensor)) throw new RangeError(`programOfOnnx: input is missing [${name}]`)
  if (dtype !== undefined && x.dtype !== dtype) {
    throw new TypeError(`programOfOnnx: input ${name} is ${dtype}, cast it [${x.dtype}]`)
  }
  const fits =
    shape === undefined ||
    (shape.length === x.rank &&
      shape.every((length, i) => typeof length !== 'number' || length === x.shape[i]))
  if (!fits) {
    const wanted = shape?.map((length) => length ?? '?').join(', ')
    throw new RangeError(`programOfOnnx: input ${name} has shape [${wanted}] [${x.shape.join(', ')}]`)
  }
  return x
}

/** Runs graphs: values by name, those of the graphs around it within reach. */
class Runner {
  readonly #model: OnnxModel
  readonly #sites = new WeakMap<Node, Error>()
  readonly #lastUses = new WeakMap<Graph, ReadonlyMap<Node, readonly string[]>>()

  constructor(model: OnnxModel) {
    this.#model = model
  }

  /** Throws for the first operator of a graph that is not known. */
  check(graph: Graph): void {
    for (const node of graph.nodes) {
      if (!this.#functionOf(node)) operatorOf(node)
      for (const value of node.attributes.values()) if (isGraph(value)) this.check(value)
    }
  }

  graph(graph: Graph, values: Map<string, Tensor>): readonly Tensor[] {
    const done = this.#doneAfter(graph)
    for (const node of graph.nodes) {
      this.#node(node, values, this.#model.opsets, undefined)
      for (const name of done.get(node) ?? []) values.delete(name)
    }
    return graph.outputs.map(({ name }) => valueOf(values, name))
  }

  #node(
    node: Node,
    values: Map<string, Tensor>,
    opsets: ReadonlyMap<string, number>,
    attributes: ReadonlyMap<string, AttributeValue> | undefined,
  ): void {
    const own = new Map(node.attributes)
    for (const [name, outer] of node.references) {
      const value = attributes?.get(outer)
      if (value !== undefined) own.set(name, value)
    }
    const inputs = node.inputs.map((name) => (name === '' ? undefined : valueOf(values, name)))
    const defined = this.#functionOf(node)
    const results = defined
      ? this.#called(defined, inputs, own)
      : this.#computed(node, inputs, own, opsets, values)
    for (const [i, name] of node.outputs.entries()) {
      const result = results[i]
      if (name !== '' && result) values.set(name, result)
    }
  }

  #computed(
    node: Node,
    inputs: readonly (Tensor | undefined)[],
    attributes: ReadonlyMap<string, AttributeValue>,
    opsets: ReadonlyMap<string, number>,
    values: Map<string, Tensor>,
  ): readonly (Tensor | undefined)[] {
    const call = new Call(node, opsets.get(node.domain) ?? 0, attributes, (graph, given) => {
      // A graph inside reads the values around it; what it computes is its own.
      const inner = new Map([...values, ...graph.initializers])
      for (const [i, { name }] of graph.inputs.entries()) inner.set(name, given[i]!)
      return this.graph(graph, inner)
    })
    const result = withLocation(this.#siteOf(node), () => operatorOf(node)(call, ...inputs))
    return result instanceof Tensor ? [result] : result
  }

  #called(
    { inputs, outputs, nodes, defaults, opsets }: ModelFunction,
    given: readonly (Tensor | undefined)[],
    attributes: ReadonlyMap<string, AttributeValue>,
  ): readonly Tensor[] {
    const values = new Map<string, Tensor>()
    for (const [i, name] of inputs.entries()) {
      const x = given[i]
      if (x) values.set(name, x)
    }
    const own = new Map([...defaults, ...attributes])
    for (const node of nodes) this.#node(node, values, opsets, own)
    return outputs.map((name) => valueOf(values, name))
  }

  #functionOf(node: Node): ModelFunction | undefined {
    return this.#model.functions.get(`${node.domain}:${node.operator}`)
  }

  /** Which values are read for the last time by each node: they can be freed behind it. */
  #doneAfter(graph: Graph): ReadonlyMap<Node, readonly string[]> {
    const known = this.#lastUses.get(graph)
    if (known) return known
    const last = new Map<string, Node>()
    for (const node of graph.nodes) {
      for (const name of [...readBy(node), ...node.outputs]) last.set(name, node)
    }
    for (const { name } of graph.outputs) last.delete(name)
    const done = new Map<Node, string[]>()
    for (const [name, node] of last) {
      const list = done.get(node)
      if (list) list.push(name)
      else done.set(node, [name])
    }
    this.#lastUses.set(graph, done)
    return done
  }

  /** The source location of a node: its Python frames, else its own name. */
  #siteOf(node: Node): Error {
    const known = this.#sites.get(node)
    if (known) return known
    const site = new Error(node.operator)
    const frames =
      node.frames.length > 0 ? node.frames : [`${node.operator} (${node.name || node.outputs[0]}:1:1)`]
    site.stack = [node.operator, ...frames.map((frame) => `    at ${frame}`)].join('\n')
    this.#sites.set(node, site)
    return site
  }
}

/** The names a node reads, those that graphs inside of it read too. */
function readBy(node: Node): string[] {
  const inner = [...node.attributes.values()].filter(isGraph)
  return [
    ...node.inputs,
    ...inner.flatMap((graph) => [...graph.nodes.flatMap(readBy), ...graph.outputs.map(({ name }) => name)]),
  ]
}

function isGraph(value: AttributeValue): value is Graph {
  return typeof value === 'object' && 'nodes' in value
}

function valueOf(values: ReadonlyMap<string, Tensor>, name: string): Tensor {
  const x = values.get(name)
  if (!x) throw new RangeError(`programOfOnnx: a node reads a value that nothing gives [${name}]`)
  return x
}
