// One checked description of a slice and how it is used, and the toolkits' rules as checks of a plan. Read tpuConfig.ts
// first, then step.ts (what a step may say) and lint.ts; planTraining.ts for what a model takes on a slice.

export { type Precision, type TpuConfig, tpuConfig, type TpuConfigOptions } from './tpuConfig.js'
export type { InputDescription, StepDescription, StepDType, StorageDescription } from './step.js'
export { lint } from './lint.js'
export { type PlanFinding, type Rule, rules } from './finding.js'
export { planTraining, type PlanTrainingOptions, type TrainingPlan } from './planTraining.js'
export { meshAxes } from './meshAxes.js'
export {
  planProgram,
  type PlanProgramOptions,
  type ProductBound,
  type ProductFinding,
  type ProductRow,
  type ProgramPlan,
} from './planProgram.js'
export type { ProductSplit, ProgramOperation, ProgramProduct } from './programOperation.js'
export { type Claim, claims, type ClaimVerdict } from './claims.js'
export { type ChipCosts, type CostedRun, type CostTable, type PlanCosts, planCosts } from './planCosts.js'
