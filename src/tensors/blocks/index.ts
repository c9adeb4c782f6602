// Tensors in blocks that share a scale (OCP MX, NVFP4): formats says what the codes mean, simd makes them fast. Read
// blockTensor.ts and quantize.ts first, then blockMatmul.ts for what a matrix unit does with them; reportPieces.ts for
// what every scheme does to a tensor that is read a piece at a time.
export { blockMatmul } from './blockMatmul.js'
export type { BlockTensor } from './blockTensor.js'
export { type BlockSchemeName, blockSchemes } from './blockSchemes.js'
export { dequantize } from './dequantize.js'
export { pack, unpack } from './pack.js'
export { quantize, type QuantizeOptions } from './quantize.js'
export { quantizeArray } from './quantizeArray.js'
export {
  type JoinedReport,
  type Numbers,
  type QuantizationReport,
  quantizationReport,
  type ReportOptions,
} from './quantizationReport.js'
export { joinReports } from './joinReports.js'
export { bitsPerElement, type QuantizationWay, type QuantizedValues } from './quantizationWay.js'
export { quantizationWays } from './quantizationWays.js'
export { type Piece, piecewise, type PiecewiseTensor, rowsOf } from './piecewise.js'
export { leastExponent, type Survey, survey } from './survey.js'
export { padRows, unpadRows } from './padRows.js'
export { reportPieces } from './reportPieces.js'
export {
  magnitudes,
  type TensorReport,
  tensorReport,
  type WayReport,
  type WayTotal,
  wayTotals,
} from './tensorReport.js'
