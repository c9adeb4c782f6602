import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { type FloatDType, Tensor } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { adamwKernel } from '../arithmetic/adamwKernel.js'
import {
  type ArithmeticOption,
  arithmeticNames,
  arithmeticOf,
  type Elementwise,
} from '../arithmetic/arithmetic.js'
import { checkDecay, checkDtype, checkFlag, checkScalar } from '../arithmetic/checkScalar.js'
import { nextCount, plainCount } from '../arithmetic/count.js'
import { zerosLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { biasCorrection, biasDenominator, updateMoment, updateSecondMoment } from '../arithmetic/moments.js'
import { inDtype, isNumber, type Scalar } from '../arithmetic/operand.js'
import { areRecorded } from '../arithmetic/recorded.js'
import type { Fusion, GradientTransformation } from '../transformation.js'
import { type StateFormatOption, stateFormatNames } from '../wrappers/stateFormat.js'
import { withStateFormat } from '../wrappers/storedState.js'

/** The constants of Adam under their published letters. */
export interface AdamOptions extends ArithmeticOption, StateFormatOption {
  /** Decay of the mean of gradients. Default: 0.9. */
  readonly b1?: Scalar
  /** Decay of the mean of their squares. Default: 0.999, which is 1 in bfloat16. */
  readonly b2?: Scalar
  /** Added to the root. Default: 1e-8. */
  readonly eps?: Scalar
  /** Added under the root. Default: 0. */
  readonly epsRoot?: Scalar
  /** The dtype in which mu is kept. Default: that of the parameters. */
  readonly muDtype?: FloatDType
  /** Nesterov momentum: the step looks one gradient ahead. Default: false. */
  readonly nesterov?: boolean
}

/** The names of `AdamOptions`. */
export const adamNames: OptionTable<AdamOptions> = {
  b1: 'optional',
  b2: 'optional',
  eps: 'optional',
  epsRoot: 'optional',
  muDtype: 'optional',
  nesterov: 'optional',
  ...stateFormatNames,
  ...arithmeticNames,
}

/** Steps done and the running moments. */
export type AdamState = { readonly count: number; readonly mu: Tree; readonly nu: Tree }

/**
 * Adam's rescaling: with t the number of this step, from 1,
 *   mu' = (1 - b1) g + b1 mu,  nu' = (1 - b2) g^2 + b2 nu,
 *   u = (mu' / (1 - b1^t)) / (sqrt(nu' / (1 - b2^t) + epsRoot) + eps).
 *
 * Dtype     of the gradients; where moments of another dtype join in, the wider of both.
 * Rounding  every operation to the dtype its operands meet in. 1 - b^t: float32, from the unrounded b, then that dtype.
 *           mu is cast to `muDtype`, nu to its own dtype, after they have been used; or both to `stateFormat`.
 * Special   an all-zero first gradient gives 0 / eps = 0; NaN stays in mu and nu for good; Inf makes u NaN.
 * Source    Adam, arXiv:1412.6980; the order of operations is optax's.
 *
 * @example tree.leavesOf(scaleByAdam({ eps: 0, b1: 0.5, b2: 0.5 }).update([tensor([2])], scaleByAdam().init([tensor([1])]))[0])[0].item() // 1
 */
export function scaleByAdam(options: AdamOptions = {}): GradientTransformation<AdamState> {
  checkOptions('scaleByAdam', options, adamNames)
  checkFlag('scaleByAdam', 'nesterov', options.nesterov)
  checkDtype('scaleByAdam', 'muDtype', options.muDtype)
  const { b1 = 0.9, b2 = 0.999, eps = 1e-8, epsRoot = 0, muDtype, nesterov = false } = options
  const a = arithmeticOf(options.arithmetic)
  checkAdam('scaleByAdam', b1, b2, eps, epsRoot)
  const fuses = a.name === 'ieee' && muDtype === undefined && !nesterov
  const fusion: AdamFusion | undefined =
    fuses && isNumber(b1) && isNumber(b2) && isNumber(eps) && isNumber(epsRoot)
      ? { kind: 'adam', b1, b2, eps, epsRoot }
      : undefined
  const transform: GradientTransformation<AdamState> = {
    ...(fusion ? { fusion } : {}),
    recordable: true,
    init: (params) => ({ count: 0, mu: zerosLike(params, muDtype), nu: zerosLike(params) }),
    update(updates, state) {
      const t = nextCount(state.count)
      const trees = [updates, state.mu, state.nu] as const
      const [scaled, mu, nu] = leafwise('scaleByAdam', trees, ([g, m, v], count) => {
        const steps = plainCount(t)
        const isFloat32 = [g, m, v].every((leaf) => leaf!.dtype === 'float32')
        if (fusion && isFloat32 && steps !== undefined && !areRecorded(g!, m!, v!)) {
          return inOnePass(a, fusion, steps, g!, m!, v!)
        }
        const mean = updateMoment(a, b1, g!, m!)
        const square = updateSecondMoment(a, b2, g!, v!)
        const ahead = nesterov
          ? a.add(
              a.mul(b1, biasCorrection(a, b1, nextCount(t), mean, count)),
              a.mul(a.oneMinus(b1), biasCorrection(a, b1, t, g!, count)),
            )
          : biasCorrection(a, b1, t, mean, count)
        const root = a.sqrt(a.add(biasCorrection(a, b2, t, square, count), epsRoot))
        const scaled = a.div(ahead, a.add(root, eps))
        return [scaled, inDtype(mean, muDtype), inDtype(square, v!.dtype as FloatDType)]
      })
      return [scaled!, { count: t, mu: mu!, nu: nu! }]
    },
  }
  return withStateFormat('scaleByAdam', transform, options.stateFormat)
}

export type AdamFusion = Extract<Fusion, { kind: 'adam' }>

/**
 * One float32 leaf by the kernel of the fused step, equal to the separate operations in every bit: parameters of -0 and
 * a rate of 1 leave the updates themselves, their signs of zero too.
 */
function inOnePass(
  a: Elementwise,
  { b1, b2, eps, epsRoot }: AdamFusion,
  t: number,
  g: Tensor,
  m: Tensor,
  v: Tensor,
): [Tensor, Tensor, Tensor] {
  const fresh = (): Float32Array => new Float32Array(g.size)
  const [scaled, newMu, newNu] = [fresh().fill(-0), fresh(), fresh()]
  const [grads, mu, nu] = [g, m, v].map((leaf) => leaf.data as Float32Array) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ]
  adamwKernel(
    { grads, params: scaled, mu, nu, newParams: scaled, newMu, newNu },
    {
      ...{ b1, oneMinusB1: 1 - b1, b2, oneMinusB2: 1 - b2, eps, epsRoot },
      correction1: biasDenominator(a, b1, t, 'float32'),
      correction2: biasDenominator(a, b2, t, 'float32'),
      ...{ rate: 1, decay: undefined, factor: 1, zeroNans: 'never' },
    },
  )
  const tensorOfAll = (values: Float32Array): Tensor => new Tensor('float32', g.shape, values)
  return [tensorOfAll(scaled), tensorOfAll(newMu), tensorOfAll(newNu)]
}

/** Throws a RangeError for constants that are no decays or would divide by a negative number. */
export function checkAdam(op: string, b1: Scalar, b2: Scalar, eps: Scalar, epsRoot: Scalar): void {
  checkDecay(op, 'b1', b1)
  checkDecay(op, 'b2', b2)
  checkScalar(op, 'eps', eps, 0)
  checkScalar(op, 'epsRoot', epsRoot, 0)
}
