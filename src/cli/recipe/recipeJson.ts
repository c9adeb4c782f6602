import type { RecipeResults } from '../../experiments/recipes/index.js'
import { csv, jsonWithRows } from '../../report/index.js'

/** The results as JSON, one run a line. No times, no paths: the same options give the same bytes. */
export function recipeJson({ recipe, sizes, arms, claims, verdict, runs }: RecipeResults): string {
  const { name, title, claim, sources, measures } = recipe
  const head = {
    recipe: name,
    ...{ title, claim, sources, measures, sizes, verdict },
    claims: claims.map(({ text, answer, difference, error }) => ({ text, answer, difference, error })),
    arms: arms.map(({ curve: _, ...arm }) => arm),
  }
  return jsonWithRows(
    head,
    runs.map(({ bits: _, ...run }) => run),
    [...(['arm', 'seed', 'loss', 'nonFiniteStep', 'curve'] as const)],
  )
}

/** The runs as comma-separated values, one a line. */
export function recipeCsv({ recipe, runs }: RecipeResults): string {
  const rows = runs.map(({ arm, seed, loss, nonFiniteStep }) => ({
    recipe: recipe.name,
    ...{ arm, seed, loss, nonFiniteStep },
  }))
  return csv(['recipe', 'arm', 'seed', 'loss', 'nonFiniteStep'], rows)
}
