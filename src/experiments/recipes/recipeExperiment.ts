import { checkRecord } from '../../base/options/index.js'
import { type RecipeName, recipeNames } from './recipes.js'
import type { StepReport } from './record/outcome.js'
import type { RecipeRun } from './results/recipeResults.js'
import { recipeSizes, runRecipeArm } from './runRecipe.js'

/** One run of a recipe as parameters of a sweep. */
export interface RecipeParams {
  readonly recipe: RecipeName
  readonly arm: string
  readonly seed: number
  readonly width: number
  readonly layers: number
  readonly steps: number
}

/** The parameters with their defaults, checked: sizes are the recipe's, the seed 0. */
export function recipeParams(params: Readonly<Record<string, unknown>>): RecipeParams {
  checkRecord('recipe', 'params', params)
  const { recipe: name = 'none', arm = 'none', seed = 0, ...given } = params
  if (!recipeNames.includes(name as RecipeName)) {
    throw new RangeError(`recipe: no such recipe, there are ${recipeNames.join(', ')} [${String(name)}]`)
  }
  const { width, layers, steps } = recipeSizes(name as RecipeName, given)
  return { recipe: name as RecipeName, arm: String(arm), seed: Number(seed), width, layers, steps }
}

/** The run of these parameters: what `recipe` of a sweep does. */
export function recipeRow(params: RecipeParams, report?: StepReport): RecipeRun {
  checkRecord('recipeRow', 'params', params, ['recipe', 'arm'])
  const { recipe, arm, seed, ...sizes } = params
  return runRecipeArm(recipe, { arm, seed, sizes: { ...sizes, seeds: 1 }, ...(report && { report }) })
}
