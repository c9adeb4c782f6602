import type { ModelConfig } from '../../planning/model/index.js'
import { type PlanTrainingOptions, planTraining, type TrainingPlan } from '../../planning/plan/index.js'

/** What is planned: a model, by its name too, on a slice. */
export interface PlanRequest extends PlanTrainingOptions {
  readonly model: string
  readonly config: ModelConfig
}

/** A plan with the model's name before it. */
export interface Plan extends TrainingPlan {
  readonly model: string
}

/** Plans a training run as the command does. */
export function makePlan({ model, config, ...options }: PlanRequest): Plan {
  return { model, ...planTraining(config, options) }
}
