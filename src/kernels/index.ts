// Kernels of attention, and of what stands around it, as TPUs and GPUs round them: executable definitions, to the bit, with
// their errors and costs. Read attention/flashOp.ts first, then flash2.ts, and masks/mask.ts.
export { attention, type WholeOptions, type WholeResult } from './attention/attention.js'
export { type AttentionGradients, attentionGrad } from './attention/attentionGrad.js'
export {
  type AttentionOptions,
  type FlashOptions,
  type FlashResult,
  flashAttention,
  type Ids,
} from './attention/flashAttention.js'
export type { Delta, FlashFormName } from './attention/plan.js'
export { type AttentionCost, type AttentionSizes, kernelCost } from './cost/kernelCost.js'
export { type FuseOptions, fuse } from './fusion/fuse.js'
export { type GemmOptions, gemm } from './gemm/gemm.js'
export type { GemmPrecision, Split } from './gemm/precisions.js'
export { type ApplyRopeOptions, applyRope } from './rope/applyRope.js'
export { type RopeCache, type RopeCacheOptions, ropeCache } from './rope/ropeCache.js'
export {
  type RopeFrequencies,
  type RopeFrequencyOptions,
  type RopeScaling,
  ropeFrequencies,
} from './rope/ropeFrequencies.js'
export { type LayerNormOptions, layerNorm } from './norms/layerNorm.js'
export type { NormKernelOptions } from './norms/normInside.js'
export { type RmsNormOptions, type RmsScaling, rmsNorm } from './norms/rmsNorm.js'
export type { VarianceMethod } from './norms/variances.js'
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
