// Matrix units: how much of a systolic array a dimension fills, what an array takes in HBM by the compiler's tiles, and the
// audit of a configuration. Read padding.ts first, then checkMxuAlignment.ts.
export { type Audit, type AuditOptions, auditConfig, type Finding } from './auditConfig.js'
export { auditText } from './auditText.js'
export {
  type AlignedSize,
  type Alignment,
  type AlignmentOptions,
  checkMxuAlignment,
  type Suggestion,
} from './checkMxuAlignment.js'
export type { Correction } from './corrections.js'
export { type HbmLayout, hbmLayout } from './hbmLayout.js'
export { type MatmulPadding, type MatmulSizes, matmulPadding, type Padding, padding } from './padding.js'
export {
  chinchillaTokens,
  estimateParams,
  getTshirt,
  type RematOptions,
  rematNeeded,
  type Tshirt,
} from './tshirt.js'
