// Kernels of attention, and of what stands around it, as TPUs and GPUs round them: executable definitions, to the bit, with
// their errors and costs. Read attention/flashOp.ts first, then flash2.ts, and masks/mask.ts.
export { attention, type WholeOptions, type WholeResult } from './attention/attention.js'
export { type AttentionGradients, attentionGrad } from './attention/attentionGrad.js'
export type { AttentionLengths, AttentionOptions, FlashOptions, Ids } from './attention/attentionOptions.js'
export { type FlashResult, flashAttention } from './attention/flashAttention.js'
export type { Backward, Delta, FlashFormName } from './attention/plan.js'
export type { AttentionBoundData, AttentionBoundOptions } from './bounds/attentionBound.js'
export { errorBound } from './bounds/errorBound.js'
export { type AttentionCost, type AttentionSizes, kernelCost } from './cost/kernelCost.js'
export type { MatmulCost, MatmulCostSizes } from './cost/matmulCost.js'
export {
  defineKernel,
  type Kernel,
  type KernelRecord,
  type KernelSample,
  type KernelWork,
} from './custom/defineKernel.js'
export { type FuseOptions, fuse } from './fusion/fuse.js'
export { type GemmOptions, gemm } from './gemm/gemm.js'
export type { Unit, UnitBasis, UnitInput, UnitOutput, UnitRecord, UnitRule } from './units/unit.js'
export { type UnitName, units } from './units/units.js'
export { defineUnit } from './units/defineUnit.js'
export { type UnitDotOptions, unitDot } from './units/unitDot.js'
export type { GemmBoundData, GemmBoundOptions } from './bounds/gemmBound.js'
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
export type { NormBoundData, NormBoundOptions } from './bounds/normBound.js'
export type { NormKernelOptions } from './norms/normInside.js'
export { type RmsNormOptions, type RmsScaling, rmsNorm } from './norms/rmsNorm.js'
export type { VarianceMethod } from './norms/variances.js'
export { type AssignOptions, type Assignment, assignExperts } from './routing/assignExperts.js'
export { type BalanceOptions, balanceLoss } from './routing/balanceLoss.js'
export { combine, dispatch } from './routing/dispatch.js'
export { type CapacityOptions, expertCapacity } from './routing/expertCapacity.js'
export { type RouteOptions, type Routing, route } from './routing/route.js'
export { routerZLoss } from './routing/routerZLoss.js'
export { type BlockScaledOptions, blockScaledMatmul, type GradientTiles } from './fp8/blockScaledMatmul.js'
export {
  type DelayedScale,
  type DelayedScaleOptions,
  delayedScale,
  type ScaleState,
} from './fp8/delayedScale.js'
export {
  type CastScaledOptions,
  castScaled,
  type Fp8MatmulOptions,
  fp8Matmul,
  type Scale,
} from './fp8/fp8Matmul.js'
export {
  type BlockFakeScheme,
  type FakeQuantizeOptions,
  type FakeScheme,
  type FormatScheme,
  fakeQuantize,
  type IntegerScheme,
} from './quantized/fakeQuantize.js'
export type { FakeGradient } from './quantized/fakeInteger.js'
export { type QuantizedMatmulOptions, quantizedMatmul } from './quantized/quantizedMatmul.js'
export {
  type DgradProduct,
  type ForwardProduct,
  type MatmulRecipe,
  matmulRecipe,
  matmulRecipes,
  type ProductHadamard,
  type RecipeName,
  type WgradProduct,
} from './quantized/recipes.js'
export type { BlockOperand, OperandQuantization, TileOperand } from './quantized/operand.js'
export { type ScaledTiles, type ScaleTilesOptions, scaleTiles } from './fp8/scaleTiles.js'
export { type FromTilesOptions, fromTiles, type TileOptions, toTiles } from './layout/tiles.js'
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
