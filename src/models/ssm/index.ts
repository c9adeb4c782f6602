// State-space duality: one linear recurrence in every form that people write, each with its own way to lose digits.
// Read inputs.ts first (shapes and equations), then recurrence.ts and factorized.ts. Everything is built of tensor
// operations and of the two fused ones in stages.ts, so every form is differentiable.
export { type Form, forms, type SsmForm } from './forms.js'
export type { SsmInputs, SsmOptions, StageDTypes } from './inputs.js'
export { type CumsumName, cumsums, type RunningSum } from './cumsums.js'
export { runningSums } from './runningSums.js'
export { recurrence } from './recurrence.js'
export { clamped, factorized } from './factorized.js'
export { pairwise, pairwiseMaskAfter } from './pairwise.js'
export { segmentSums, segsum } from './segsum.js'
export { chunked } from './chunked.js'
export { gradientRules } from './gradientRules.js'
