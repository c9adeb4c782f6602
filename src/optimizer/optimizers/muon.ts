import { checkName, checkOptions, type OptionTable } from '../../base/options/index.js'
import { mapTree } from '../../tensors/tree/index.js'
import { adamw } from '../adams/adamw.js'
import { arithmeticNames } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { chosen } from '../arithmetic/chosen.js'
import { dimensionsOf, type WeightDimensionNumbers } from '../arithmetic/muonDimensions.js'
import type { Scalar } from '../arithmetic/operand.js'
import { chain } from '../chain.js'
import type { Mask } from '../mask.js'
import {
  type NewtonSchulz,
  type ScaleByMuonOptions,
  scaleByMuon,
  scaleByMuonNames,
} from '../rescalings/scaleByMuon.js'
import type { GradientTransformation } from '../transformation.js'
import { addDecayedWeights } from '../transforms/addDecayedWeights.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'
import { type ScaleByShapeOptions, scaleByShape, scaleByShapeNames } from '../transforms/scaleByShape.js'
import { type MultiTransformState, multiTransform } from '../wrappers/multiTransform.js'
import { stateFormatNames } from '../wrappers/stateFormat.js'

/** Muon for matrices, AdamW for the rest. */
export interface MuonOptions
  extends Omit<ScaleByMuonOptions, 'nsCoeffs' | 'weightDimensionNumbers'>,
    Omit<ScaleByShapeOptions, 'weightDimensionNumbers'> {
  readonly learningRate: LearningRate
  /** Coefficients, or the name of published ones. Default: 'standard'. */
  readonly nsCoeffs?: NewtonSchulz | readonly NewtonSchulz[] | 'standard' | 'dion'
  /** Weight decay of the matrices. Default: 0. */
  readonly weightDecay?: LearningRate
  /** Which matrices decay. Default: all. */
  readonly weightDecayMask?: Mask
  /** Default: 0.9. */
  readonly adamB1?: Scalar
  /** Default: 0.999. */
  readonly adamB2?: Scalar
  /** Default: 0. */
  readonly adamEpsRoot?: Scalar
  /** Weight decay of what is no matrix. Default: 0. */
  readonly adamWeightDecay?: LearningRate
  /** Default: `learningRate`. */
  readonly adamLearningRate?: LearningRate
  /** Which axes of each parameter make matrices; null leaves one to AdamW. Default: those of rank 2, as [in, out]. */
  readonly muonWeightDimensionNumbers?: WeightDimensionNumbers
}

const { weightDimensionNumbers: _, ...ofMatrices } = scaleByMuonNames
const { weightDimensionNumbers: __, ...ofShapes } = scaleByShapeNames

/** The names of `MuonOptions`. */
export const muonNames: OptionTable<MuonOptions> = {
  ...ofMatrices,
  ...ofShapes,
  learningRate: 'required',
  weightDecay: 'optional',
  weightDecayMask: 'optional',
  adamB1: 'optional',
  adamB2: 'optional',
  adamEpsRoot: 'optional',
  adamWeightDecay: 'optional',
  adamLearningRate: 'optional',
  muonWeightDimensionNumbers: 'optional',
}

/** Those of Dion, one triple a step: https://github.com/microsoft/dion, newton_schulz_triton.py. */
const dion: readonly NewtonSchulz[] = [
  [4.0848, -6.8946, 2.927],
  [3.9505, -6.3029, 2.6377],
  [3.7418, -5.5913, 2.3037],
  [2.8769, -3.1427, 1.2046],
  [2.8366, -3.0525, 1.2012],
]

/**
 * Muon: for leaves of rank 2, or those with dimension numbers, `chain(scaleByMuon, scaleByShape, addDecayedWeights, scaleByLearningRate)`, for all others
 * `adamw`, which has the same eps, momentum of the same kind, and a weight decay of its own.
 *
 * Source    Muon: an optimizer for hidden layers, https://kellerjordan.github.io/posts/muon (2024)
 *
 * @example Object.keys(muon({ learningRate: 0.02 }).init({ w: tensor([[1]]), b: tensor([1]) })) // ['muon', 'adam']
 */
export function muon(options: MuonOptions): GradientTransformation<MultiTransformState> {
  checkOptions('muon', options, muonNames)
  const { learningRate, weightDecay = 0, weightDecayMask, nsCoeffs, eps = 1e-8, nesterov = true } = options
  const { adamB1 = 0.9, adamB2 = 0.999, adamEpsRoot = 0, adamWeightDecay = 0, muDtype } = options
  if (typeof nsCoeffs === 'string') checkName('muon', 'nsCoeffs', nsCoeffs, ['standard', 'dion'])
  checkScalar('muon', 'eps', eps, 0)
  const exact = chosen(options, arithmeticNames)
  const given = options.muonWeightDimensionNumbers
  const dimensions = given === undefined ? {} : { weightDimensionNumbers: given }
  const { nsCoeffs: _, ...how } = chosen({ ...options, ...dimensions }, scaleByMuonNames)
  const coefficients = nsCoeffs === 'dion' ? dion : nsCoeffs === 'standard' ? undefined : nsCoeffs
  return multiTransform(
    {
      muon: chain(
        scaleByMuon(coefficients === undefined ? how : { ...how, nsCoeffs: coefficients }),
        scaleByShape(chosen({ ...options, ...dimensions }, scaleByShapeNames)),
        addDecayedWeights(
          weightDecay,
          weightDecayMask === undefined ? exact : { ...exact, mask: weightDecayMask },
        ),
        scaleByLearningRate(learningRate, exact),
      ),
      adam: adamw({
        ...exact,
        ...(muDtype === undefined ? {} : { muDtype }),
        ...chosen(options, stateFormatNames),
        learningRate: options.adamLearningRate ?? learningRate,
        b1: adamB1,
        b2: adamB2,
        eps,
        epsRoot: adamEpsRoot,
        weightDecay: adamWeightDecay,
        nesterov,
      }),
    },
    (tree) => {
      if (given === undefined) return mapTree((x): string => (x.rank === 2 ? 'muon' : 'adam'), tree)
      const found = dimensionsOf('muon', given, tree)
      let leaf = 0
      return mapTree((): string => (found[leaf++] === null ? 'adam' : 'muon'), tree)
    },
  )
}
