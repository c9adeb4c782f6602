// Published recipes of low-precision training, each taken apart: a small model trained with and without each ingredient, over seeds,
// with a verdict on what the source reports. Read recipe.ts first, then decoder/product.ts (what an ingredient replaces),
// train/trainDecoder.ts and results/judge.ts.
export type { Arm, Claim, Recipe, RecipeSizes } from './record/recipe.js'
export type { BitsLost, Outcome, ProductKind, StepReport } from './record/outcome.js'
export { type RecipeName, recipeNames } from './recipes.js'
export {
  recipe,
  type RecipeArmOptions,
  type RecipeOptions,
  recipeSizes,
  runRecipe,
  runRecipeArm,
  type RunRecipeOptions,
} from './runRecipe.js'
export { type ArmResult, type RecipeResults, type RecipeRun, resultsOf } from './results/recipeResults.js'
export { type Answer, type JudgedClaim, kindNames } from './results/judge.js'
export { recipeParams, type RecipeParams, recipeRow } from './recipeExperiment.js'
