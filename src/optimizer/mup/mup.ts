import { checkName, checkOptions } from '../../base/options/index.js'
import { type AdamOptimizerOptions, adamOptimizerNames } from '../adams/adam.js'
import { type AdamwOptions, adamwNames } from '../adams/adamw.js'
import { type ArithmeticOption, arithmeticNames } from '../arithmetic/arithmetic.js'
import { chosen } from '../arithmetic/chosen.js'
import { chain } from '../chain.js'
import { type SgdOptions, sgd, sgdNames } from '../optimizers/sgd.js'
import type { EmptyState, GradientTransformation, State } from '../transformation.js'
import { type MupParameter, type MupShapes, mupNames, mupTable } from './mupTable.js'
import { scaledAdam, scaledAdamw, scaledUpdates } from './scaledUpdates.js'

/** The maximal update parametrization of a model: what its parameters get, and the optimizers that give it to them. */
export interface Mup {
  /** One row a parameter, in the order of `leavesOf`. */
  readonly table: readonly MupParameter[]
  /** The row of a path. */
  at(path: string): MupParameter
  /** Updates times their learning-rate multiplier: behind Adam's rescaling, before the weight decay; or before SGD. */
  scaleUpdates(rule: 'adam' | 'sgd', options?: ArithmeticOption): GradientTransformation<EmptyState>
  /** `chain(scaleByAdam, scaleUpdates, scaleByLearningRate)`. */
  adam(options: AdamOptimizerOptions): GradientTransformation<readonly State[]>
  /** `chain(scaleByAdam, scaleUpdates, addDecayedWeights, scaleByLearningRate)`: rate times decay is the base's. */
  adamw(options: AdamwOptions): GradientTransformation<readonly State[]>
  /** `chain(scaleUpdates, sgd)`. */
  sgd(options: SgdOptions): GradientTransformation<readonly State[]>
  /** What logits q.k are multiplied by: 1 / d, or sqrt(baseHeadDim) / d, which is 1 / sqrt(d) at the base. */
  attentionScale(headDim: number, baseHeadDim?: number): number
}

/**
 * muP: hyper-parameters found at one width, used at another. With r how much wider than the base,
 *
 *   | parameter           | Adam rate, decay | SGD rate             | initial std | forward        |
 *   |---------------------|------------------|----------------------|-------------|----------------|
 *   | input, vector       | 1, 1             | r                    | 1           | 1              |
 *   | hidden matrix       | 1/r, r           | r of out / r of in   | 1/sqrt(r)   | 1              |
 *   | readout             | 1, 1             | r                    | 1           | outputMult / r |
 *   | finite              | 1, 1             | 1                    | 1           | 1              |
 *
 * SGD's decay is the inverse of its rate. The initial std is beside what the same rule gives in the base model. r is by
 * the fan-in where that grows, else by the dimension that does. The model itself multiplies the input of the readout
 * by `forwardMult` and logits of attention by `attentionScale`.
 *
 * Special   without `delta` a dimension that is equal in base and target does not grow.
 * Rounding  the multiplier to the leaf's dtype, then the product; leaves whose multiplier is 1 pass untouched.
 * Throws    RangeError for more than two dimensions that grow, a readout whose outputs grow, and a readout path without
 *           parameters.
 * Source    Tensor Programs V, arXiv:2203.03466, table 8; inferred as the Python package mup 1.0 does
 *
 * @example const scaled = mup({ base: { w: [64, 64], out: [64, 10] }, target: { w: [256, 256], out: [256, 10] }, readout: ['out'] })
 * scaled.table.map((row) => [row.path, row.adamLrMult, row.initMult, row.forwardMult]) // [['out', 1, 1, 0.25], ['w', 0.25, 0.5, 1]]
 */
export function mup(shapes: MupShapes): Mup {
  checkOptions('mup', shapes, mupNames)
  const table = mupTable(shapes)
  const rows = new Map(table.map((row) => [row.path, row]))
  const at = (path: string): MupParameter => {
    const row = rows.get(path)
    if (!row) throw new RangeError(`mup: no such parameter [${path || 'the root'}]`)
    return row
  }
  const scaleUpdates = (rule: 'adam' | 'sgd', options: ArithmeticOption = {}) => {
    checkName('mup', 'rule', rule, ['adam', 'sgd'])
    checkOptions('mup.scaleUpdates', options, arithmeticNames)
    const multiplier = rule === 'adam' ? 'adamLrMult' : 'sgdLrMult'
    return scaledUpdates((path) => at(path)[multiplier], options)
  }
  return {
    table,
    at,
    scaleUpdates,
    adam(options) {
      checkOptions('mup.adam', options, adamOptimizerNames)
      return scaledAdam((how) => scaleUpdates('adam', how), options)
    },
    adamw(options) {
      checkOptions('mup.adamw', options, adamwNames)
      return scaledAdamw((how) => scaleUpdates('adam', how), options)
    },
    sgd(options) {
      checkOptions('mup.sgd', options, sgdNames)
      return chain(scaleUpdates('sgd', chosen(options, arithmeticNames)), sgd(options))
    },
    attentionScale,
  }
}

function attentionScale(headDim: number, baseHeadDim: number = 1): number {
  for (const [name, value] of Object.entries({ headDim, baseHeadDim })) {
    if (!(Number.isFinite(value) && value > 0)) {
      throw new RangeError(`mup: ${name} is not a positive number [${value}]`)
    }
  }
  return Math.sqrt(baseHeadDim) / headDim
}
