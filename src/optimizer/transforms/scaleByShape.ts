import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { dimensionsOf, fansOf, type WeightDimensionNumbers } from '../arithmetic/muonDimensions.js'
import { type EmptyState, type GradientTransformation, stateless } from '../transformation.js'

/** How orthogonal updates are sized. */
export interface ScaleByShapeOptions extends ArithmeticOption {
  /** The root mean square that updates get, such as Adam's 0.2. Default: none, the rule of the width. */
  readonly consistentRms?: number
  /** Which axes of each leaf are inputs and outputs. Default: every leaf is a matrix [in, out]. */
  readonly weightDimensionNumbers?: WeightDimensionNumbers
}

/** The names of `ScaleByShapeOptions`. */
export const scaleByShapeNames: OptionTable<ScaleByShapeOptions> = {
  consistentRms: 'optional',
  weightDimensionNumbers: 'optional',
  ...arithmeticNames,
}

/**
 * Updates of matrices [in, out] times sqrt(max(1, out / in)), so that one learning rate fits every width; or, with
 * `consistentRms`, times that and sqrt(max(in, out)).
 *
 * Source    the width: Scalable optimization in the modular norm, arXiv:2405.14813; the root mean square: Muon is scalable
 *           for LLM training, arXiv:2502.16982
 *
 * @example tree.leavesOf(scaleByShape().update([tensor([[1, 1, 1, 1]])], {})[0])[0].toNested() // [[2, 2, 2, 2]]
 */
export function scaleByShape(options: ScaleByShapeOptions = {}): GradientTransformation<EmptyState> {
  checkOptions('scaleByShape', options, scaleByShapeNames)
  const { consistentRms, weightDimensionNumbers: given } = options
  if (consistentRms !== undefined) checkScalar('scaleByShape', 'consistentRms', consistentRms, 0)
  const a = arithmeticOf(options.arithmetic)
  const round = (x: number): number => a.weak(x, 'float32')
  const factorOf = (fanIn: number, fanOut: number): number => {
    if (consistentRms !== undefined) {
      return round(round(Math.sqrt(Math.max(fanIn, fanOut))) * round(consistentRms))
    }
    return round(Math.sqrt(round(Math.max(1, fanOut / fanIn))))
  }
  return stateless((updates) => {
    const dimensions = given === undefined ? [] : dimensionsOf('scaleByShape', given, updates)
    let leaf = 0
    const [scaled] = leafwise('scaleByShape', [updates], ([u]) => {
      const [fanIn, fanOut] = fansOf('scaleByShape', u!, dimensions[leaf++])
      return [a.mul(factorOf(fanIn, fanOut), u!)]
    })
    return scaled
  })
}
