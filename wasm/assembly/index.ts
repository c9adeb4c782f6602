// The kernels embedded in src/simd: pointers into the one memory, counts of elements. src/simd/arena.ts lays out the
// memory; nothing is allocated here.
export { encodeFloat32, encodeFloat64 } from './encode'
export { largestOfBlocks, encodeElements, encodeInt8Elements } from './blocks'
export { add, sub, mul, div, min, max } from './arithmetic'
export { addHalf, subHalf, mulHalf, divHalf, minHalf, maxHalf } from './half'
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
export { adamw } from './adamw'
