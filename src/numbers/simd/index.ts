// WebAssembly SIMD kernels over ordinary typed arrays, copied block by block through an arena inside the one
// instance; `arena` is undefined where the machine has no SIMD. Sources: wasm/assembly. Read arena.ts first.
export { type Arena, arena, type Engine } from './arena.js'
export { type BinaryKernel, arithmeticBlocks } from './arithmeticBlocks.js'
export { type Conversion, convertBlocks } from './convertBlocks.js'
export { cumsumBlocks } from './cumsumBlocks.js'
export { encodeBlocks } from './encodeBlocks.js'
export {
  type Float32Binary,
  type Float32Unary,
  float32BinaryBlocks,
  float32UnaryBlocks,
  type Operand,
  whereBlocks,
} from './float32Blocks.js'
export { float32ColumnSums, float32LaneSums } from './float32Columns.js'
export {
  addsLane,
  float32LaneScan,
  float32LaneSum,
  isStepwise,
  type LaneOrder,
  type StepwiseOrder,
} from './float32Lanes.js'
export { BackwardTiles, type ColumnSlopes, type RowSlopes, type SlopeRule } from './backwardTiles.js'
export { ForwardTiles, type TileRule } from './forwardTiles.js'
export { type HadamardBlocks, hadamardBlocks, longestHadamard } from './hadamardBlocks.js'
export { inflated } from './kernelModule.js'
export { mapBlocks } from './mapBlocks.js'
export { type MatmulKind, type MatmulSizes, matmulBlocks } from './matmulBlocks.js'
export { addScaledRows, matmulFloat32 } from './matmulFloat32.js'
export { matmulFloat64 } from './matmulFloat64.js'
export { matmulInt32 } from './matmulInt32.js'
export { type BlockElementShape, scaleBlocks, scalesBlocks, threefryBlocks } from './scaleBlocks.js'
export { type AdamwConstants, type AdamwLeaf, type AdamwOutcome, adamwBlocks } from './adamwBlocks.js'
export { type UnitNumbers, type UnitSteps, unitBlocks, unitNumbers } from './unitBlocks.js'
export { type Extent, type Fits, lanesOf, type TileMask, type TileSizes } from './tileRoom.js'
