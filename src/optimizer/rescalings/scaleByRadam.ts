import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { type FloatDType, greaterEqual, Tensor, where } from '../../tensors/tensor/index.js'
import { type Arithmetic, arithmeticNames, arithmeticOf, type Elementwise } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { atCount, type Count, countOp, nextCount } from '../arithmetic/count.js'
import { zerosLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { biasCorrection, updateMoment, updateSecondMoment } from '../arithmetic/moments.js'
import type { Scalar } from '../arithmetic/operand.js'
import { powerBySquaring } from '../arithmetic/powerBySquaring.js'
import { constantOf } from '../arithmetic/scheduled.js'
import type { GradientTransformation } from '../transformation.js'
import { stateFormatNames } from '../wrappers/stateFormat.js'
import { withStateFormat } from '../wrappers/storedState.js'
import { type AdamOptions, type AdamState, checkAdam } from './scaleByAdam.js'

/** Adam's constants and where the rectified step begins. */
export interface RadamOptions extends Omit<AdamOptions, 'nesterov' | 'muDtype'> {
  /** The length of the running mean from which its variance is trusted. Default: 5. */
  readonly threshold?: number
}

/** The names of `RadamOptions`. */
export const radamNames: OptionTable<RadamOptions> = {
  b1: 'optional',
  b2: 'optional',
  eps: 'optional',
  epsRoot: 'optional',
  threshold: 'optional',
  ...stateFormatNames,
  ...arithmeticNames,
}

/**
 * RAdam's rescaling: with rho the length of the running mean, rhoInf - 2 t b2^t / (1 - b2^t), rhoInf = 2 / (1 - b2) - 1,
 *   u = r mHat / (sqrt(vHat + epsRoot) + eps) from rho = threshold on, mHat before, and
 *   r = sqrt((rho - 4) (rho - 2) rhoInf / ((rhoInf - 4) (rhoInf - 2) rho)).
 *
 * Rounding  r: 'ieee' in float64, 'xla-cpu' in float32 with b2^t by repeated squaring; then once to the dtype.
 * Source    On the variance of the adaptive learning rate and beyond, arXiv:1908.03265
 */
export function scaleByRadam(options: RadamOptions = {}): GradientTransformation<AdamState> {
  checkOptions('scaleByRadam', options, radamNames)
  const { b1 = 0.9, b2 = 0.999, eps = 1e-8, epsRoot = 0, threshold = 5 } = options
  const a = arithmeticOf(options.arithmetic)
  checkAdam('scaleByRadam', b1, b2, eps, epsRoot)
  checkScalar('scaleByRadam', 'threshold', threshold)
  const transform: GradientTransformation<AdamState> = {
    recordable: true,
    init: (params) => ({ count: 0, mu: zerosLike(params), nu: zerosLike(params) }),
    update(updates, state) {
      const t = nextCount(state.count)
      const { rho, r } = rectificationAt(a, b2, t)
      const [scaled, mu, nu] = leafwise('scaleByRadam', [updates, state.mu, state.nu], ([g, m, v], count) => {
        const mean = updateMoment(a, b1, g!, m!)
        const square = updateSecondMoment(a, b2, g!, v!)
        const meanHat = biasCorrection(a, b1, t, mean, count)
        const root = a.sqrt(a.add(biasCorrection(a, b2, t, square, count), epsRoot))
        const factor = constantOf(a, r, mean.dtype as FloatDType)
        const rectified = a.div(a.mul(factor, meanHat), a.add(root, eps))
        const chosen =
          rho instanceof Tensor
            ? where(greaterEqual(rho, threshold), rectified, meanHat)
            : rho >= threshold
              ? rectified
              : meanHat
        return [chosen, mean, square]
      })
      return [scaled, { count: t, mu, nu }]
    },
  }
  return withStateFormat('scaleByRadam', transform, options.stateFormat)
}

/** The length of the running mean and the factor of the step. */
function rectificationAt(a: Elementwise, b2: Scalar, t: Count): { rho: Scalar; r: Scalar } {
  const decay = typeof b2 === 'number' ? b2 : b2.item()
  if (!(t instanceof Tensor)) return rectification(a.name, decay, t)
  const attributes = { arithmetic: a.name, decay }
  return { rho: atCount(rhoOp, t, attributes), r: atCount(factorOp, t, attributes) }
}

const rhoOp = countOp<Rectifying>(
  'radamLength',
  (t, { arithmetic, decay }) => rectification(arithmetic, decay, t).rho,
)
const factorOp = countOp<Rectifying>(
  'radamFactor',
  (t, { arithmetic, decay }) => rectification(arithmetic, decay, t).r,
)

interface Rectifying {
  readonly arithmetic: Arithmetic
  readonly decay: number
}

function rectification(arithmetic: Arithmetic, decay: number, t: number): { rho: number; r: number } {
  const exact = arithmetic === 'ieee'
  const round = exact ? (x: number) => x : Math.fround
  const longest = 2 / (1 - decay) - 1
  const power = exact ? decay ** t : powerBySquaring(Math.fround(decay), t)
  const rho = round(round(longest) - round(round(2 * t * power) / round(1 - power)))
  const above = round(round(round(rho - 4) * round(rho - 2)) * round(longest))
  const below = round(round((longest - 4) * (longest - 2)) * rho)
  return { rho, r: round(Math.sqrt(round(above / below))) }
}
