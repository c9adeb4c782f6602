// The kernels embedded in src/simd: pointers into the one memory, counts of elements. src/simd/arena.ts lays out the
// memory; nothing is allocated here.
export { encodeFloat32, encodeFloat64 } from './encode'
export { largestOfBlocks, encodeElements, encodeInt8Elements } from './blocks'
export { add, sub, mul, div, min, max } from './arithmetic'
export { addHalf, subHalf, mulHalf, divHalf, minHalf, maxHalf, float16OfFloat32 } from './half'
export {
  int32OfFloat32,
  uint32OfFloat32,
  int32OfFloat64,
  uint32OfFloat64,
  boolOfFloat32,
  boolOfFloat64,
  boolOfInt32,
  float32OfFloat64,
} from './convert'
export { map } from './map'
export { cumsum, cumsumFloat32 } from './cumsum'
export {
  clearRanges,
  packLeft,
  packRight,
  packLeftFloat32,
  packRightFloat32,
  multiply,
  multiplyFloat32,
  packLeftFloat64,
  packRightFloat64,
  multiplyFloat64,
  multiplyInt32,
  encodeSums,
} from './matmul'
export { packBands, packPanels } from './pack'
export {
  measure,
  multiplyWithin,
  multiplyAlong,
  logitsOfTile,
  weighTile,
  packTile,
  addTile,
  finishTile,
  slopesOfTile,
  addPart,
} from './attention'
export { adamw } from './adamw'
export {
  exp2Float32,
  expm1Float32,
  sinhFloat32,
  coshFloat32,
  log2Float32,
  log10Float32,
  log1pFloat32,
  asinhFloat32,
  acoshFloat32,
  atanhFloat32,
  sinFloat32,
  cosFloat32,
  tanFloat32,
  asinFloat32,
  acosFloat32,
  atanFloat32,
  erfcFloat32,
  cbrtFloat32,
  rsqrtFloat32,
} from './float32/unary'
export { sqrtFloat32, reciprocalFloat32, squareFloat32, absFloat32, negFloat32, floorFloat32, ceilFloat32, rintFloat32, truncFloat32, reluFloat32, signFloat32 } from './float32/simple'
export { addFloat32, subFloat32, mulFloat32, divFloat32, minFloat32, maxFloat32 } from './float32/arithmetic'
export { equalFloat32, notEqualFloat32, lessFloat32, lessEqualFloat32, where32 } from './float32/choices'
export {
  sequentialLane,
  kahanLane,
  neumaierLane,
  pairwiseSum,
  associativeSum,
  blockedSum,
  windowedSum,
  pairwiseScan,
  associativeScan,
  blockedScan,
} from './float32/sums'
export { sequentialColumns, kahanColumns, neumaierColumns, transposeLanes } from './float32/columns'
export {
  pairwiseColumns,
  associativeColumns,
  blockedColumns,
  windowedColumns,
  pairwiseScanColumns,
  associativeScanColumns,
  blockedScanColumns,
} from './float32/trees'
export {
  expFloat32,
  sigmoidFloat32,
  siluFloat32,
  geluTanhFloat32,
  tanhFloat32,
  logFloat32,
  erfFloat32,
  geluFloat32,
  softplusFloat32,
} from './float32/vector'
