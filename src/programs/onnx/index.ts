// ONNX models, as PyTorch exports them, read and run as functions of tensors.
export type { AttributeValue, Graph, GraphValue, ModelFunction, Node, OnnxModel } from './file/model.js'
export { onnxOperators } from './operators.js'
export {
  type NamedTensors,
  type OnnxProgram,
  programOfOnnx,
  type ProgramOfOnnxOptions,
} from './programOfOnnx.js'
export { readOnnx, type ReadOnnxOptions } from './file/readOnnx.js'
export type { ExternalData } from './file/externalData.js'
