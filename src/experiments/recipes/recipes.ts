import { adam8bit } from './recipes/adam8bit.js'
import { bf16States } from './recipes/bf16States.js'
import { deepseekFp8 } from './recipes/deepseekFp8.js'
import { fp8Attention } from './recipes/fp8Attention.js'
import { muonBf16 } from './recipes/muonBf16.js'
import { mxfp8 } from './recipes/mxfp8.js'
import { nvfp4 } from './recipes/nvfp4.js'
import { qatMxfp4 } from './recipes/qatMxfp4.js'
import { rlMismatch } from './recipes/rlMismatch.js'
import { unitScaling } from './recipes/unitScaling.js'
import type { Recipe } from './record/recipe.js'

/** The name of a recipe. */
export type RecipeName =
  | 'nvfp4'
  | 'mxfp8'
  | 'deepseek-fp8'
  | 'bf16-states'
  | 'adam8bit'
  | 'fp8-attention'
  | 'unit-scaling'
  | 'qat-mxfp4'
  | 'muon-bf16'
  | 'rl-mismatch'

/** Every recipe by its name. */
export const recipes: Readonly<Record<RecipeName, Recipe>> = {
  nvfp4,
  mxfp8,
  'deepseek-fp8': deepseekFp8,
  'bf16-states': bf16States,
  adam8bit,
  'fp8-attention': fp8Attention,
  'unit-scaling': unitScaling,
  'qat-mxfp4': qatMxfp4,
  'muon-bf16': muonBf16,
  'rl-mismatch': rlMismatch,
}

/** All names, in the order of the help. */
export const recipeNames: readonly RecipeName[] = Object.keys(recipes) as RecipeName[]
