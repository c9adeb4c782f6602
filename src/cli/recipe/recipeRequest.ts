import {
  type RecipeName,
  type RecipeSizes,
  recipeNames,
  recipe as recipeOf,
  recipeSizes,
} from '../../experiments/recipes/index.js'
import type { Space } from '../../experiments/sweep/index.js'
import { mistakesAsBadInput } from '../io/badInput.js'
import { readName } from '../io/readNames.js'
import { readInteger } from '../io/readNumber.js'
import { type GivenQueue, type QueueRequest, readQueue } from '../sweep/readQueue.js'

/** The options as commander has them. */
export interface GivenRecipe extends GivenQueue {
  readonly quick?: true
  readonly width?: string
  readonly layers?: string
  readonly steps?: string
  readonly seeds?: string
  readonly workers: string
  readonly json?: true
  readonly markdown?: true
  readonly out?: string
}

/** What is to be run, checked. */
export interface RecipeRequest {
  readonly name: RecipeName
  readonly sizes: RecipeSizes
  /** Every run, as a grid. */
  readonly space: Space
  readonly workers: number
  readonly out: string
  readonly json: boolean
  readonly markdown: boolean
  readonly queue?: QueueRequest
}

/** Reads the command line. Every mistake is a BadInput. */
export function readRecipe(text: string, given: GivenRecipe): RecipeRequest {
  const name = readName('recipe', text, recipeNames)
  const number = (option: 'width' | 'layers' | 'steps' | 'seeds', most: number) => {
    const value = given[option]
    return value === undefined ? {} : { [option]: readInteger(option, value, 1, most) }
  }
  const sizes = mistakesAsBadInput('recipe', () =>
    recipeSizes(name, {
      quick: given.quick ?? false,
      ...number('width', 4096),
      ...number('layers', 64),
      ...number('steps', 100_000),
      ...number('seeds', 1000),
    }),
  )
  const { seeds, ...others } = sizes
  const queue = readQueue(given)
  const space: Space = {
    recipe: [name],
    seed: Array.from({ length: seeds }, (_, seed) => seed),
    arm: recipeOf(name).arms.map((arm) => arm.name),
    ...Object.fromEntries(Object.entries(others).map(([size, value]) => [size, [value]])),
  }
  return {
    ...{ name, sizes, space },
    workers: readInteger('workers', given.workers, 1, 256),
    out: given.out ?? `reports/recipe-${name}`,
    json: given.json ?? false,
    markdown: given.markdown ?? false,
    ...(queue === undefined ? {} : { queue }),
  }
}
