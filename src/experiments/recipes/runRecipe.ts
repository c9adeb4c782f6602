import {
  checkFunction,
  checkInteger,
  checkName,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { type RecipeName, recipeNames, recipes } from './recipes.js'
import type { StepReport } from './record/outcome.js'
import type { Recipe, RecipeSizes } from './record/recipe.js'
import { type RecipeResults, type RecipeRun, resultsOf, runOf } from './results/recipeResults.js'

/** How large a recipe is run. */
export interface RecipeOptions {
  /** The small sizes, under a minute, which the others replace one by one. Default false. */
  readonly quick?: boolean
  /** A multiple of 32. Default: the recipe's. */
  readonly width?: number
  /** Default: the recipe's. */
  readonly layers?: number
  /** Default: the recipe's. */
  readonly steps?: number
  /** How many runs each arm has. Default: the recipe's, 3. */
  readonly seeds?: number
}

/** One run of a recipe. */
export interface RecipeArmOptions {
  /** The name of the arm. */
  readonly arm: string
  readonly seed: number
  readonly sizes: RecipeSizes
  /** Receives the step and its loss. */
  readonly report?: StepReport
}

/** Those of `runRecipe`. */
export interface RunRecipeOptions extends RecipeOptions {
  /** Receives runs done, runs in all, and which one is next. */
  readonly progress?: (done: number, total: number, part: string) => void
}

const sizeNames: OptionTable<RecipeOptions> = {
  ...{ quick: 'optional', width: 'optional', layers: 'optional', steps: 'optional', seeds: 'optional' },
}
const armNames: OptionTable<RecipeArmOptions> = {
  ...{ arm: 'required', seed: 'required', sizes: 'required', report: 'optional' },
}
const names: OptionTable<RunRecipeOptions> = { ...sizeNames, progress: 'optional' }

/**
 * A recipe by its name.
 *
 * @example recipe('nvfp4').arms.length > 3 // true
 * recipe('nvfp5') // throws recipe: unknown name, did you mean nvfp4 [nvfp5]
 */
export function recipe(name: RecipeName): Recipe {
  checkName('recipe', 'name', name, recipeNames)
  return recipes[name]
}

/**
 * The sizes of a recipe with every default filled in.
 *
 * Throws    RangeError for a width that is no multiple of 32, and numbers below 1.
 *
 * @example recipeSizes('nvfp4', { quick: true, steps: 10 }).steps // 10
 */
export function recipeSizes(name: RecipeName, options: RecipeOptions = noOptions): RecipeSizes {
  checkOptions('recipeSizes', options, sizeNames)
  const { quick = false, ...given } = options
  const found = recipe(name)
  const sizes = { ...(quick ? found.quick : found.sizes), ...given }
  for (const [what, value] of Object.entries(sizes)) checkInteger('recipe', what, value, 1, 100_000)
  if (sizes.width % 32 !== 0) throw new RangeError(`recipe: width is no multiple of 32 [${sizes.width}]`)
  return sizes
}

/**
 * Runs one arm of a recipe with one seed.
 *
 * Special   the same arguments give the same numbers, to the bit.
 *
 * @example runRecipeArm('nvfp4', { arm: 'bfloat16', seed: 0, sizes: { ...recipeSizes('nvfp4', { quick: true }), steps: 2 } }).curve.length // 2
 */
export function runRecipeArm(name: RecipeName, options: RecipeArmOptions): RecipeRun {
  checkOptions('runRecipeArm', options, armNames)
  const { arm, seed, sizes, report } = options
  const found = recipe(name)
  checkName(
    'recipe',
    'arm',
    arm,
    found.arms.map((one) => one.name),
  )
  checkInteger('recipe', 'seed', seed, 0, 2 ** 32 - 1)
  return runOf(arm, seed, found.run(arm, sizes, seed, report))
}

/**
 * Runs a recipe in this thread: every arm with every seed. `tpu-toolkit recipe` does the same in several threads, and keeps each run in a
 * file as soon as it is done.
 *
 * Special   the same options give the same numbers, to the bit, in any thread.
 * Throws    RangeError for a name that is none, and for sizes as `recipeSizes` does.
 *
 * @example runRecipe('rl-mismatch', { quick: true, steps: 2, seeds: 1 }).arms[0].name // float32
 */
export function runRecipe(name: RecipeName, options: RunRecipeOptions = noOptions): RecipeResults {
  checkOptions('runRecipe', options, names)
  const { progress, ...given } = options
  if (progress !== undefined) checkFunction('runRecipe', 'progress', progress)
  const found = recipe(name)
  const sizes = recipeSizes(name, given)
  const all = found.arms.flatMap((arm) =>
    Array.from({ length: sizes.seeds }, (_, seed) => ({ arm: arm.name, seed })),
  )
  const runs = all.map(({ arm, seed }, i) => {
    progress?.(i, all.length, `${arm}, seed ${seed}`)
    return runRecipeArm(name, { arm, seed, sizes })
  })
  progress?.(all.length, all.length, '')
  return resultsOf(found, sizes, runs)
}
