import type { DType, Tensor } from '../../../tensors/tensor/index.js'

/** An attribute of a node; integers are numbers, so they have at most 53 bits. */
export type AttributeValue = number | string | Tensor | Graph | readonly number[] | readonly string[]

/** One node of a graph: an operator, what it reads and what it gives, by name. An input that is left out has the name ''. */
export interface Node {
  /** `MatMul`. */
  readonly operator: string
  /** '' is ONNX's own domain; `com.microsoft` holds ONNX Runtime's operators. */
  readonly domain: string
  readonly name: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  readonly attributes: ReadonlyMap<string, AttributeValue>
  /** Attributes inside a function that refer to an attribute of the call: their name there, by the name here. */
  readonly references: ReadonlyMap<string, string>
  /** Python frames as `torch.onnx.export` keeps them, the innermost first: `model.py:12:1`. */
  readonly frames: readonly string[]
}

/** An input or output of a graph as the file declares it. */
export interface GraphValue {
  readonly name: string
  /** None where the value is no tensor, or of no type that a tensor can have. */
  readonly dtype: DType | undefined
  /** None where the rank is not declared; an axis is a number, a name as `batch`, or nothing. */
  readonly shape: readonly (number | string | undefined)[] | undefined
}

/** A graph of nodes over named values. */
export interface Graph {
  readonly name: string
  /** Without those that have an initializer. */
  readonly inputs: readonly GraphValue[]
  readonly outputs: readonly GraphValue[]
  readonly initializers: ReadonlyMap<string, Tensor>
  readonly nodes: readonly Node[]
}

/** A function of the model: an operator that is defined by a graph of others. */
export interface ModelFunction {
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  readonly nodes: readonly Node[]
  readonly defaults: ReadonlyMap<string, AttributeValue>
  readonly opsets: ReadonlyMap<string, number>
}

/** A model read by `readOnnx`. */
export interface OnnxModel {
  readonly producer: string
  /** The version of each domain's operators; that of '' is the opset. */
  readonly opsets: ReadonlyMap<string, number>
  readonly graph: Graph
  /** By `domain:name`. */
  readonly functions: ReadonlyMap<string, ModelFunction>
}
