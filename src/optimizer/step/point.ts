import type { OptionTable } from '../../base/options/index.js'
import type { Engine } from '../../numbers/simd/index.js'
import type { Tensor } from '../../tensors/tensor/index.js'
import type { Tree, Treelike } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames } from '../arithmetic/arithmetic.js'
import type { ExtraArgs, State } from '../transformation.js'

/** Parameters and the optimizer's state between two steps. */
export interface Point<S extends State = State, P extends Treelike = Tree> {
  readonly params: P
  readonly state: S
}

/** How a step is done. */
export interface ApplyGradientsOptions extends ArithmeticOption {
  /**
   * Whether the tensors of the point may be overwritten: nothing is allocated for new ones. Two leaves of it in one array
   * are a RangeError. Default: false.
   */
  readonly donate?: boolean
  /** How the fused pass computes: 'simd' (WebAssembly where the machine has it) or 'plain'. Default: 'simd'. */
  readonly engine?: Engine
  /** Extra arguments of the optimizer, such as the loss. Default: nothing. */
  readonly extra?: ExtraArgs
}

/** The names of `ApplyGradientsOptions`. */
export const applyGradientsNames: OptionTable<ApplyGradientsOptions> = {
  donate: 'optional',
  engine: 'optional',
  extra: 'optional',
  ...arithmeticNames,
}

/** How a whole step is done. */
export interface MakeTrainStepOptions extends ApplyGradientsOptions {
  /**
   * Whether loss, gradients and update become one program at the first step. A loss that reads what changes and is no argument of it, or that
   * is to do something at every step besides, needs false. Default: true.
   */
  readonly compile?: boolean
}

/** The names of `MakeTrainStepOptions`. */
export const makeTrainStepNames: OptionTable<MakeTrainStepOptions> = {
  ...applyGradientsNames,
  compile: 'optional',
}

/** Two leaves in one array would be updated one on top of the other. */
export function checkApart(leaves: readonly Tensor[]): void {
  const arrays = new Set(leaves.map(({ data }) => data))
  if (arrays.size < leaves.length) {
    throw new RangeError(
      `applyGradients: leaves share an array, which cannot be donated [${arrays.size} for ${leaves.length}]`,
    )
  }
}
