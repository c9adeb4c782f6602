import type { FloatDType, Shape } from '../../tensors/tensor/index.js'
import { pathsOf, replaceLeaves } from '../../tensors/tree/index.js'
import type { AdamOptimizerOptions } from '../adams/adam.js'
import type { AdamwOptions } from '../adams/adamw.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import { adamNames, scaleByAdam } from '../rescalings/scaleByAdam.js'
import { type EmptyState, type GradientTransformation, type State, stateless } from '../transformation.js'
import { addDecayedWeights, decayNames } from '../transforms/addDecayedWeights.js'
import { scaleByLearningRate } from '../transforms/scaleByLearningRate.js'

type ScaleUpdates = (options: ArithmeticOption) => GradientTransformation<EmptyState>

/** Updates times the factor of their parameter, rounded to the leaf's dtype first; leaves whose factor is 1 pass untouched. */
export function scaledUpdates(
  factorOf: (path: string, shape: Shape) => number,
  options: ArithmeticOption,
): GradientTransformation<EmptyState> {
  const a = arithmeticOf(options.arithmetic)
  return stateless((updates) =>
    replaceLeaves(
      updates,
      pathsOf(updates).map(({ path, leaf }) => {
        const factor = factorOf(path, leaf.shape)
        return factor === 1 ? leaf : a.mul(a.weak(factor, leaf.dtype as FloatDType), leaf)
      }),
    ),
  )
}

/** `chain(scaleByAdam, scaleUpdates, scaleByLearningRate)`. */
export function scaledAdam(
  scaleUpdates: ScaleUpdates,
  options: AdamOptimizerOptions,
): GradientTransformation<readonly State[]> {
  return chain(
    scaleByAdam(chosen(options, adamNames)),
    scaleUpdates(chosen(options, arithmeticNames)),
    scaleByLearningRate(options.learningRate, chosen(options, arithmeticNames)),
  )
}

/** `chain(scaleByAdam, scaleUpdates, addDecayedWeights, scaleByLearningRate)`. */
export function scaledAdamw(
  scaleUpdates: ScaleUpdates,
  options: AdamwOptions,
): GradientTransformation<readonly State[]> {
  return chain(
    scaleByAdam(chosen(options, adamNames)),
    scaleUpdates(chosen(options, arithmeticNames)),
    addDecayedWeights(options.weightDecay ?? 1e-4, chosen(options, decayNames)),
    scaleByLearningRate(options.learningRate, chosen(options, arithmeticNames)),
  )
}
