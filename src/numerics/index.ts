// Stable functions and their naive forms, measures of drift, a-priori error bounds.
// Read cumsum.ts first, then drift.ts and errorBound.ts. Everything that takes and gives tensors is made of tensor
// operations, so it is differentiable; drift, ulpDistance, errorBound, exactSum, covarianceSpectrum measure in float64.
export { type CumsumOptions, naiveCumsum, stableCumsum } from './cumsum.js'
export { type NaiveSumOptions, naiveMean, naiveSum } from './sum.js'
export type { ResultOptions } from './resultOptions.js'
export { stableExp } from './exp.js'
export { naiveDecay, stableDecay } from './decay.js'
export { naiveMatmul, stableMatmul } from './matmul.js'
export { type CovarianceOptions, naiveCovariance, stableCovariance } from './covariance.js'
export { boundedClockBias, type ClockBiasOptions } from './clockBias.js'
export type { InternalOptions } from './internal.js'
export type { Wide } from './wide.js'
export { logAddExp } from './logAddExp.js'
export { logsumexp, logSoftmax, type SoftmaxOptions, softmax } from './softmax.js'
export { type VarianceOptions, variance } from './variance.js'
export { type NormOfOptions, norm, std } from './norm.js'
export { safeNorm, safeRootMeanSquares } from './safeNorm.js'
export { layerNorm, type NormOptions, rmsNorm } from './layerNorm.js'
export { exactSum } from './exactSum.js'
export { ulpDistance } from './ulpDistance.js'
export { type Drift, type DriftOptions, drift } from './drift.js'
export {
  type BoundData,
  type BoundOptions,
  type DecayBoundData,
  type DecayBoundOptions,
  type ErrorBound,
  errorBound,
} from './errorBound.js'
export { type CovarianceSpectrum, covarianceSpectrum } from './covarianceSpectrum.js'
export { fromMatrix, toMatrix } from './matrix.js'
