import {
  checkArray,
  checkInteger,
  checkName,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { type Shape, sizeOf } from '../../tensors/tensor/index.js'
import { type AdamOptimizerOptions, adamOptimizerNames } from '../adams/adam.js'
import { type AdamwOptions, adamwNames } from '../adams/adamw.js'
import { type ArithmeticOption, arithmeticNames } from '../arithmetic/arithmetic.js'
import type { EmptyState, GradientTransformation, State } from '../transformation.js'
import { scaledAdam, scaledAdamw, scaledUpdates } from './scaledUpdates.js'

/** What shapes do not say about a model in unit scale. */
export interface UmupOptions {
  /** Paths of tables of embeddings [count, features]. Default: none. */
  readonly embedding?: readonly string[]
  /** Paths of readouts, the products to logits. Default: none. */
  readonly readout?: readonly string[]
  /** Paths of what lies on residual branches. Default: none. */
  readonly residual?: readonly string[]
  /** How many layers follow one another there. Default 1. */
  readonly depth?: number
  /** Whether matrices are x W, 'in-out', or W x, 'out-in' as torch has them. Default: 'in-out'. */
  readonly layout?: 'in-out' | 'out-in'
}

/** The rates of u-muP, and the optimizers that have them. */
export interface Umup {
  /** What Adam's rate of a parameter is multiplied by. */
  rateOf(path: string, shape: Shape): number
  /** Updates times those: behind Adam's rescaling, before the weight decay. */
  scaleUpdates(options?: ArithmeticOption): GradientTransformation<EmptyState>
  /** `chain(scaleByAdam, scaleUpdates, scaleByLearningRate)`. */
  adam(options: AdamOptimizerOptions): GradientTransformation<readonly State[]>
  /** `chain(scaleByAdam, scaleUpdates, addDecayedWeights, scaleByLearningRate)`: the decay is that of the rate alone. */
  adamw(options: AdamwOptions): GradientTransformation<readonly State[]>
}

const names: OptionTable<UmupOptions> = {
  ...{ embedding: 'optional', readout: 'optional', residual: 'optional' },
  ...{ depth: 'optional', layout: 'optional' },
}

/**
 * Adam's rates in u-muP, for a model of unit-scaled operations whose weights begin with variance 1 (`nn.unitLinear` and its kin): a matrix
 * has 1 / sqrt(fan-in), an embedding 1 / sqrt(features), readouts, biases and gains 1; on residual branches that over sqrt(depth). One
 * base rate then serves every width.
 *
 * Rounding  the multiplier to the leaf's dtype, then the product; leaves whose multiplier is 1 pass untouched.
 * Source    Blake and others, u-muP, arXiv 2407.17465, table 2; the package unit-scaling 0.3.5
 *
 * @example umup({ readout: ['head'], residual: ['blocks'], depth: 4 }).rateOf('blocks.0.up', [64, 256]) // 0.0625
 * umup({ readout: ['head'] }).rateOf('head', [64, 10]) // 1
 */
export function umup(options: UmupOptions = noOptions): Umup {
  checkOptions('umup', options, names)
  const { embedding = [], readout = [], residual = [], depth = 1, layout = 'in-out' } = options
  for (const [name, paths] of Object.entries({ embedding, readout, residual })) {
    checkArray('umup', name, paths)
  }
  checkInteger('umup', 'depth', depth, 1)
  checkName('umup', 'layout', layout, ['in-out', 'out-in'])
  const rateOf = (path: string, shape: Shape): number => {
    const isUnder = (paths: readonly string[]): boolean =>
      paths.some((prefix) => path === prefix || path.startsWith(`${prefix}.`))
    const deep = isUnder(residual) ? depth ** -0.5 : 1
    if (shape.length < 2 || isUnder(readout)) return deep
    const outputs = layout === 'in-out' ? shape.at(-1)! : shape[0]!
    const fan = isUnder(embedding) ? shape.at(-1)! : sizeOf(shape) / outputs
    return deep * fan ** -0.5
  }
  const scaleUpdates = (given: ArithmeticOption = noOptions): GradientTransformation<EmptyState> => {
    checkOptions('umup.scaleUpdates', given, arithmeticNames)
    return scaledUpdates(rateOf, given)
  }
  return {
    rateOf,
    scaleUpdates,
    adam(how) {
      checkOptions('umup.adam', how, adamOptimizerNames)
      return scaledAdam(scaleUpdates, how)
    },
    adamw(how) {
      checkOptions('umup.adamw', how, adamwNames)
      return scaledAdamw(scaleUpdates, how)
    },
  }
}
