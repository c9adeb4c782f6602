// Kernels of attention, and of what stands around it, as TPUs and GPUs round them: executable definitions, to the bit, with
// their errors and costs. Read masks/mask.ts first.
export { type AttentionCost, type AttentionSizes, kernelCost } from './cost/kernelCost.js'
export { type BlockMap, type BlockMapOptions, blockMap } from './masks/blockMap.js'
export { blockMapSvg } from './masks/blockMapSvg.js'
export type { Mask } from './masks/mask.js'
export {
  andMask,
  blockMask,
  causalMask,
  chunkedMask,
  dilatedMask,
  fixedMask,
  fullMask,
  globalMask,
  type OffsetOptions,
  orMask,
  prefixMask,
  segmentMask,
  stridedMask,
  type WindowOptions,
  windowMask,
} from './masks/masks.js'
