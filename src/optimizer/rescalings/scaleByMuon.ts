import { checkInteger, checkName, checkOptions, type OptionTable } from '../../base/options/index.js'
import {
  abs,
  cast,
  div,
  dtypeFacts,
  type FloatDType,
  matmul,
  max,
  maximum,
  mul,
  sum,
  type Tensor,
  transpose,
} from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import {
  type ArithmeticOption,
  arithmeticNames,
  arithmeticOf,
  type Elementwise,
} from '../arithmetic/arithmetic.js'
import { checkDecay, checkDtype, checkFlag, checkScalar } from '../arithmetic/checkScalar.js'
import { nextCount } from '../arithmetic/count.js'
import { zerosLike } from '../arithmetic/fullLike.js'
import { leafNorm } from '../arithmetic/leafNorm.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { biasCorrection, updateMoment } from '../arithmetic/moments.js'
import { dimensionsOf, overMatrices, type WeightDimensionNumbers } from '../arithmetic/muonDimensions.js'
import { inDtype, type Scalar } from '../arithmetic/operand.js'
import { sumXla } from '../arithmetic/sumXla.js'
import type { GradientTransformation } from '../transformation.js'
import { type StateFormatOption, stateFormatNames } from '../wrappers/stateFormat.js'
import { withStateFormat } from '../wrappers/storedState.js'

/** The coefficients a, b, c of one Newton-Schulz step x' = a x + (b (x x^T) + c (x x^T)^2) x. */
export type NewtonSchulz = readonly [a: number, b: number, c: number]

/** How momentum becomes an orthogonal matrix. */
export interface ScaleByMuonOptions extends ArithmeticOption, StateFormatOption {
  /** The coefficients of every step, or of each. Default: [3.4445, -4.775, 2.0315], which brings singular values near 1. */
  readonly nsCoeffs?: NewtonSchulz | readonly NewtonSchulz[]
  /** Steps, where all have the same coefficients; else the last ones are taken. Default: 5. */
  readonly nsSteps?: number
  /** Decay of the momentum. Default: 0.95. */
  readonly beta?: Scalar
  /** Added to the norm that the momentum is divided by. Default: 1e-8. */
  readonly eps?: number
  /** The dtype in which mu is kept. Default: that of the parameters. */
  readonly muDtype?: FloatDType
  /** Nesterov momentum: the step looks one gradient ahead. Default: true. */
  readonly nesterov?: boolean
  /** Whether updates are multiplied by their inner product with the momentum. Default: false. */
  readonly adaptive?: boolean
  /**
   * What brings singular values below about 1 at first: the Frobenius norm, or a factor for each row or for all of the first
   * step's product. Default: 'frobenius'.
   */
  readonly preconditioning?: 'frobenius' | 'aol' | 'schatten'
  /**
   * The dtype of the Newton-Schulz steps: the momentum is rounded to it, and every result of a step. In 'float8_e4m3fn' and 'float8_e5m2'
   * results are bfloat16, and the operands of products are rounded to fp8 with one scale a matrix. Default: that of the momentum.
   */
  readonly nsDtype?: FloatDType
  /** Which axes of each leaf make matrices. Default: every leaf is a matrix [in, out]. */
  readonly weightDimensionNumbers?: WeightDimensionNumbers
}

/** The names of `ScaleByMuonOptions`. */
export const scaleByMuonNames: OptionTable<ScaleByMuonOptions> = {
  nsCoeffs: 'optional',
  nsSteps: 'optional',
  beta: 'optional',
  eps: 'optional',
  muDtype: 'optional',
  nesterov: 'optional',
  adaptive: 'optional',
  preconditioning: 'optional',
  nsDtype: 'optional',
  weightDimensionNumbers: 'optional',
  ...stateFormatNames,
  ...arithmeticNames,
}

/** Steps done and the momentum. */
export type MuonState = { readonly count: number; readonly mu: Tree }

const usual: NewtonSchulz = [3.4445, -4.775, 2.0315]

/**
 * Muon's direction: the momentum of each matrix with all its singular values brought near 1, by Newton-Schulz steps.
 *
 * Shape     every leaf a matrix, or as many as `weightDimensionNumbers` finds in it; `muon` gives it those alone. Dtype of the
 *           gradients.
 * Rounding  products of matrices summed in float32 in index order and rounded to the dtype, as is every operation around them.
 *           XLA sums in an order of its own, and the steps enlarge what differs in small singular values. `nsDtype` says in
 *           which dtype; fp8: codes of x (largest / amax of x), their product in float32 over both scales, each step rounded, once to
 *           bfloat16.
 * Cost      each step four times the smaller side times the elements, and twice its cube, in multiplications and additions.
 * Source    Muon: an optimizer for hidden layers, https://kellerjordan.github.io/posts/muon (2024); preconditioning 'aol' and
 *           'schatten': optax 0.2.8
 */
export function scaleByMuon(options: ScaleByMuonOptions = {}): GradientTransformation<MuonState> {
  checkOptions('scaleByMuon', options, scaleByMuonNames)
  checkDtype('scaleByMuon', 'muDtype', options.muDtype)
  checkDtype('scaleByMuon', 'nsDtype', options.nsDtype)
  checkFlag('scaleByMuon', 'nesterov', options.nesterov)
  checkFlag('scaleByMuon', 'adaptive', options.adaptive)
  const { beta = 0.95, eps = 1e-8, muDtype, nesterov = true, adaptive = false } = options
  const { preconditioning = 'frobenius', weightDimensionNumbers: given, nsDtype } = options
  const iteration = iterationOf(nsDtype)
  checkName('scaleByMuon', 'preconditioning', preconditioning, ['frobenius', 'aol', 'schatten'])
  checkDecay('scaleByMuon', 'beta', beta)
  checkScalar('scaleByMuon', 'eps', eps, 0)
  const steps = stepsOf(options.nsCoeffs ?? usual, options.nsSteps ?? 5)
  const a = arithmeticOf(options.arithmetic)
  const transform: GradientTransformation<MuonState> = {
    recordable: true,
    init: (params) => ({ count: 0, mu: zerosLike(params, muDtype) }),
    update(updates, state) {
      const t = nextCount(state.count)
      const dimensions = given === undefined ? [] : dimensionsOf('scaleByMuon', given, updates)
      let leaf = 0
      const [direction, mu] = leafwise('scaleByMuon', [updates, state.mu], ([g, m], count) => {
        const matrices = dimensions[leaf++]
        const mean = updateMoment(a, beta, g!, m!)
        const hat = nesterov
          ? a.add(
              a.mul(beta, biasCorrection(a, beta, nextCount(t), mean, count)),
              a.mul(a.oneMinus(beta), biasCorrection(a, beta, t, g!, count)),
            )
          : biasCorrection(a, beta, t, mean, count)
        const orthogonal = overMatrices('scaleByMuon', hat, matrices, (matrix) => {
          const found = orthogonalized(a, inDtype(matrix, iteration.dtype), steps, {
            ...{ preconditioning, eps, product: iteration.product },
          })
          return inDtype(found, matrix.dtype as FloatDType)
        })
        const out = adaptive ? a.mul(sumXla(a.mul(hat, orthogonal)), orthogonal) : orthogonal
        return [out, inDtype(mean, muDtype)]
      })
      return [direction, { count: t, mu }]
    },
  }
  return withStateFormat('scaleByMuon', transform, options.stateFormat)
}

/** The coefficients of every step. */
function stepsOf(given: NewtonSchulz | readonly NewtonSchulz[], count: number): readonly NewtonSchulz[] {
  checkInteger('scaleByMuon', 'nsSteps', count, 1)
  const many = Array.isArray(given[0])
  const triples = (many ? given : [given]) as readonly NewtonSchulz[]
  for (const triple of triples) {
    if (!Array.isArray(triple) || triple.length !== 3) {
      throw new RangeError(`scaleByMuon: nsCoeffs are not three numbers a step [${String(triple)}]`)
    }
    for (const c of triple) checkScalar('scaleByMuon', 'a coefficient of nsCoeffs', c)
  }
  if (!many) return Array.from({ length: count }, () => triples[0]!)
  if (triples.length > count) {
    throw new RangeError(`scaleByMuon: nsSteps are fewer than nsCoeffs [${count} and ${triples.length}]`)
  }
  return triples
}

/** The matrices of the iteration: their dtype, that of the momentum where undefined, and their product. */
function iterationOf(nsDtype: FloatDType | undefined): {
  readonly dtype: FloatDType | undefined
  readonly product: Product
} {
  if (nsDtype !== 'float8_e4m3fn' && nsDtype !== 'float8_e5m2') return { dtype: nsDtype, product: matmul }
  return { dtype: 'bfloat16', product: (x, y) => fp8Product(nsDtype, x, y) }
}

/** Operands rounded to fp8, the largest magnitude to the format's; exact products added in float32; scales, once to bfloat16. */
function fp8Product(format: 'float8_e4m3fn' | 'float8_e5m2', x: Tensor, y: Tensor): Tensor {
  const [left, right] = [x, y].map((one) => {
    const wide = cast(one, 'float32')
    const largest = maximum(max(abs(wide)), smallestAmax)
    const scale = div(dtypeFacts(format).max, largest)
    return { codes: cast(cast(mul(wide, scale), format), 'float32'), scale }
  }) as [Scaled, Scaled]
  return cast(div(div(matmul(left.codes, right.codes), left.scale), right.scale), 'bfloat16')
}

/** Of a matrix of zeros: its scale is finite. */
const smallestAmax = 2 ** -100

interface Scaled {
  readonly codes: Tensor<'float32'>
  readonly scale: Tensor<'float32'>
}

type Product = (x: Tensor, y: Tensor) => Tensor

/** How `orthogonalized` begins and multiplies. */
interface Orthogonalization {
  readonly preconditioning: 'frobenius' | 'aol' | 'schatten'
  readonly eps: number
  readonly product: Product
}

/** The matrix with its singular values near 1; long ones are turned so that products are of the smaller side. */
function orthogonalized(
  a: Elementwise,
  matrix: Tensor,
  steps: readonly NewtonSchulz[],
  { preconditioning, eps, product: times }: Orthogonalization,
): Tensor {
  const [rows, columns] = matrix.shape as [number, number]
  const long = rows > columns
  let x = long ? transpose(matrix) : matrix
  if (preconditioning === 'frobenius') x = a.divScalar(x, a.add(leafNorm(a, x), eps))
  steps.forEach(([c0, c1, c2], i) => {
    let product = times(x, transpose(x))
    if (i === 0 && preconditioning !== 'frobenius') {
      const s = firstFactors(a, product, preconditioning, eps)
      const rows = preconditioning === 'aol'
      product = rows ? a.mul(a.mul(product, s), transpose(s)) : a.mul(product, a.mul(s, s))
      x = a.mul(x, s)
    }
    const inner = a.add(a.mul(c1, product), times(a.mul(c2, product), product))
    x = a.add(a.mul(c0, x), times(inner, x))
  })
  return long ? transpose(x) : x
}

/** A column with a factor for each row of the first product, 1 / sqrt of its sum of magnitudes, or one for all, of the product's norm. */
function firstFactors(a: Elementwise, product: Tensor, how: 'aol' | 'schatten', eps: number): Tensor {
  const sums = how === 'aol' ? sum(abs(product), { axis: -1, keepDims: true }) : leafNorm(a, product)
  return a.rsqrt(a.maximum(sums, eps))
}
