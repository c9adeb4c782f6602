// Tensors in blocks that share a scale (OCP MX, NVFP4): formats says what the codes mean, simd makes them fast. Read
// blockTensor.ts and quantize.ts first, then blockMatmul.ts for what a matrix unit does with them.
export { blockMatmul } from './blockMatmul.js'
export type { BlockTensor } from './blockTensor.js'
export { dequantize } from './dequantize.js'
export { pack, unpack } from './pack.js'
export { quantize, type QuantizeOptions } from './quantize.js'
export { quantizeArray } from './quantizeArray.js'
export {
  type Numbers,
  type QuantizationReport,
  quantizationReport,
  type ReportOptions,
} from './quantizationReport.js'
