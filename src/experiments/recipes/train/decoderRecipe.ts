import type { Arm, Recipe, RecipeSizes } from '../record/recipe.js'
import { type DecoderTraining, trainDecoder } from './trainDecoder.js'

/** An arm with how it trains the decoder. */
export interface DecoderArm extends Arm {
  readonly training: DecoderTraining
}

/** A recipe whose arms train the decoder on the text of the pages. */
export interface DecoderRecipe extends Omit<Recipe, 'arms' | 'run' | 'measures' | 'sizes' | 'quick'> {
  readonly arms: readonly DecoderArm[]
  /** Default: width 64, 1 layer, 300 steps, 3 seeds. */
  readonly sizes?: Partial<RecipeSizes>
  /** Default: width 32, 1 layer, 30 steps, 3 seeds. */
  readonly quick?: Partial<RecipeSizes>
}

const usual: RecipeSizes = { width: 64, layers: 1, steps: 300, seeds: 3 }
const usualQuick: RecipeSizes = { width: 32, layers: 1, steps: 30, seeds: 3 }

/** The recipe of these arms. */
export function decoderRecipe({ arms, sizes, quick, ...what }: DecoderRecipe): Recipe {
  return {
    ...what,
    measures: 'loss on held-out text, nats a character',
    arms: arms.map(({ name, about }) => ({ name, about })),
    sizes: { ...usual, ...sizes },
    quick: { ...usualQuick, ...quick },
    run: (arm, { width, layers, steps }, seed, report) => {
      const { training } = arms.find(({ name }) => name === arm)!
      return trainDecoder(training, { width, layers, steps }, seed, report)
    },
  }
}
