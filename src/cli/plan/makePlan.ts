import type { ModelConfig } from '../../planning/model/index.js'
import {
  type CostTable,
  type PlanCosts,
  type PlanTrainingOptions,
  planCosts,
  planTraining,
  type TrainingPlan,
} from '../../planning/plan/index.js'

/** What is planned: a model, by its name too, on a slice. */
export interface PlanRequest extends PlanTrainingOptions {
  readonly model: string
  readonly config: ModelConfig
  /** What chips draw and cost, as the user filled it in. */
  readonly costs?: CostTable
}

/** A plan with the model's name before it. */
export interface Plan extends TrainingPlan {
  readonly model: string
  readonly costs?: PlanCosts
}

/** Plans a training run as the command does. */
export function makePlan({ model, config, costs, ...options }: PlanRequest): Plan {
  const plan = { model, ...planTraining(config, options) }
  if (costs === undefined) return plan
  const { slice } = plan.memory
  const { tokensPerSecond, modelFlops, estimateSeconds } = plan.step
  const flopsPerSecond = estimateSeconds === null ? null : modelFlops / estimateSeconds
  const run = { chip: slice.chip.name, chips: plan.chips, tokensPerSecond, flopsPerSecond }
  return { ...plan, costs: planCosts(run, costs) }
}
