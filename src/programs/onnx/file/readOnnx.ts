import { fromBinary } from '@bufbuild/protobuf'
import {
  type AttributeProto,
  type FunctionProto,
  type GraphProto,
  AttributeProto_AttributeType as Kind,
  ModelProtoSchema,
  type NodeProto,
  type ValueInfoProto,
} from 'onnx-buf'
import { checkOptions, type OptionTable, shown } from '../../../base/options/index.js'
import type { ExternalData } from './externalData.js'
import type { AttributeValue, Graph, GraphValue, ModelFunction, Node, OnnxModel } from './model.js'
import { dtypeOfNumber, storedTensor } from './storedTensor.js'

/** Where the data of a model lie that are not in its file. */
export interface ReadOnnxOptions {
  /** Gives bytes of a file beside the model, for models of more than 2 GB. Default: an error that names the file. */
  readonly external?: ExternalData
}

const names: OptionTable<ReadOnnxOptions> = { external: 'optional' }

/** The oldest version of ONNX's operators whose meaning is known here. */
const oldestOpset = 13

/**
 * Reads an ONNX model: opset 13 to 26, data inside the file or beside it.
 *
 * Throws    RangeError for bytes that are no ONNX model, older operators, and data of another size than their shape; TypeError for
 *           constants that no tensor can hold (text, complex numbers, sparse tensors).
 * Source    onnx.proto of github.com/onnx/onnx, read by onnx-buf.
 *
 * @example readOnnx(new Uint8Array([1, 2])) // throws readOnnx: bytes are no ONNX model [illegal tag: field no 0 wire type 1]
 */
export function readOnnx(bytes: Uint8Array, options: ReadOnnxOptions = {}): OnnxModel {
  checkOptions('readOnnx', options, names)
  if (!(bytes instanceof Uint8Array)) {
    throw new TypeError(`readOnnx: bytes are no Uint8Array [${shown(bytes)}]`)
  }
  const model = decoded(bytes)
  if (!model.graph) throw new RangeError('readOnnx: bytes are no ONNX model: there is no graph []')
  const opsets = new Map(model.opsetImport.map(({ domain, version }) => [domainOf(domain), Number(version)]))
  const opset = opsets.get('') ?? 0
  if (opset < oldestOpset) {
    throw new RangeError(
      `readOnnx: opset is older than ${oldestOpset}, convert it by onnx.version_converter [${opset || 'none'}]`,
    )
  }
  const read = new Reader(options.external)
  return {
    producer: `${model.producerName} ${model.producerVersion}`.trim(),
    opsets,
    graph: read.graph(model.graph),
    functions: new Map(
      model.functions.map((f) => [`${domainOf(f.domain)}:${f.name}`, read.modelFunction(f)] as const),
    ),
  }
}

function decoded(bytes: Uint8Array) {
  try {
    return fromBinary(ModelProtoSchema, bytes)
  } catch (error) {
    throw new RangeError(`readOnnx: bytes are no ONNX model [${(error as Error).message}]`)
  }
}

function domainOf(domain: string): string {
  return domain === 'ai.onnx' ? '' : domain
}

class Reader {
  readonly #external: ExternalData | undefined

  constructor(external: ExternalData | undefined) {
    this.#external = external
  }

  graph(proto: GraphProto): Graph {
    if (proto.sparseInitializer.length > 0) {
      throw new TypeError(`readOnnx: the graph has sparse tensors [${proto.sparseInitializer.length}]`)
    }
    const initializers = new Map(
      proto.initializer.map((tensor) => [tensor.name, storedTensor(tensor, this.#external)]),
    )
    return {
      name: proto.name,
      inputs: proto.input.filter(({ name }) => !initializers.has(name)).map(graphValue),
      outputs: proto.output.map(graphValue),
      initializers,
      nodes: proto.node.map((node) => this.node(node)),
    }
  }

  modelFunction(proto: FunctionProto): ModelFunction {
    return {
      inputs: proto.input,
      outputs: proto.output,
      nodes: proto.node.map((node) => this.node(node)),
      defaults: new Map(proto.attributeProto.map((attribute) => [attribute.name, this.attribute(attribute)])),
      opsets: new Map(proto.opsetImport.map(({ domain, version }) => [domainOf(domain), Number(version)])),
    }
  }

  node(proto: NodeProto): Node {
    const own = proto.attribute.filter(({ refAttrName }) => refAttrName === '')
    const referring = proto.attribute.filter(({ refAttrName }) => refAttrName !== '')
    return {
      operator: proto.opType,
      domain: domainOf(proto.domain),
      name: proto.name,
      inputs: proto.input,
      outputs: proto.output,
      attributes: new Map(own.map((attribute) => [attribute.name, this.attribute(attribute)])),
      references: new Map(referring.map(({ name, refAttrName }) => [name, refAttrName])),
      frames: framesOf(proto),
    }
  }

  attribute(proto: AttributeProto): AttributeValue {
    switch (proto.type) {
      case Kind.FLOAT:
        return proto.f
      case Kind.INT:
        return Number(proto.i)
      case Kind.STRING:
        return textOf(proto.s)
      case Kind.TENSOR:
        return storedTensor(proto.t!, this.#external)
      case Kind.GRAPH:
        return this.graph(proto.g!)
      case Kind.FLOATS:
        return proto.floats
      case Kind.INTS:
        return proto.ints.map(Number)
      case Kind.STRINGS:
        return proto.strings.map(textOf)
      default:
        throw new TypeError(
          `readOnnx: attribute ${proto.name} is of a kind that is not known [${Kind[proto.type]}]`,
        )
    }
  }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

function graphValue({ name, type }: ValueInfoProto): GraphValue {
  const of = type?.value.case === 'tensorType' ? type.value.value : undefined
  return {
    name,
    dtype: of && dtypeOfNumber(of.elemType),
    shape: of?.shape?.dim.map(({ value }) =>
      value.case === 'dimValue' ? Number(value.value) : value.case === 'dimParam' ? value.value : undefined,
    ),
  }
}

/** The Python frames that `torch.onnx.export` writes beside a node (`File "model.py", line 12, in forward`), the innermost first. */
function framesOf(node: NodeProto): readonly string[] {
  const text = node.metadataProps.find(({ key }) => key.endsWith('stack_trace'))?.value ?? ''
  return [...text.matchAll(/File "([^"]+)", line (\d+), in (\S+)/g)]
    .map(([, file, line, name]) => `${name} (${file}:${line}:1)`)
    .reverse()
}
