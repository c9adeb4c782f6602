import { checkName, checkOptions, type OptionTable } from '../../base/options/index.js'
import { type FloatDType, full, type Tensor } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { chosen } from '../arithmetic/chosen.js'
import { stateTree } from '../arithmetic/fullLike.js'
import { globalNorm } from '../arithmetic/globalNorm.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { lowest } from '../arithmetic/lowest.js'
import { inDtype } from '../arithmetic/operand.js'
import { squaredNorm } from '../arithmetic/squaredNorm.js'
import { type GradientTransformation, needParams, type State } from '../transformation.js'
import { type FoundRateOptions, foundRateNames, withFoundRate } from './foundRate.js'

/** How long the first step is. */
export interface ScaleByDogOptions extends ArithmeticOption {
  /**
   * The first step: as if the parameters had come this far ('distance'), by this rate ('learning_rate'), or as if they had come
   * this share of 1 + their norm ('heuristic'). Default: ['heuristic', 1e-6].
   */
  readonly initStep?: readonly ['distance' | 'learning_rate' | 'heuristic', number]
  /** Added to the sum of squares. Default: 1e-8. */
  readonly eps?: number
}

/** The names of `ScaleByDogOptions`. */
export const scaleByDogNames: OptionTable<ScaleByDogOptions> = {
  initStep: 'optional',
  eps: 'optional',
  ...arithmeticNames,
}

/** Whether no step was done, where the parameters began, the furthest they have been from there, the squares of gradients. */
export type DogState = {
  readonly isInitStep: boolean
  readonly initParams: Tree
  readonly maxDist: Tensor
  readonly sumSqNormGrads: Tensor
}

/**
 * Updates times the furthest distance from the first parameters over the root of the sum of the gradients' squared norms.
 *
 * Dtype     distance and sum in the narrowest dtype of the parameters, as in optax.
 * Rounding  the norms as `globalNorm`, their squares leaf by leaf to the dtype, every sum and quotient to it.
 * Source    DoG is SGD's best friend, arXiv:2302.12022
 *
 * @example scaleByDog({ initStep: ['distance', 0.5] }).init([tensor([1])]).maxDist.item() // 0.5
 */
export function scaleByDog(options: ScaleByDogOptions = {}): GradientTransformation<DogState> {
  checkOptions('scaleByDog', options, scaleByDogNames)
  const { initStep = ['heuristic', 1e-6], eps = 1e-8 } = options
  if (!Array.isArray(initStep) || initStep.length !== 2) {
    throw new RangeError(`scaleByDog: initStep is not a name and a number [${String(initStep)}]`)
  }
  const [kind, first] = initStep as NonNullable<ScaleByDogOptions['initStep']>
  checkName('scaleByDog', 'initStep', kind, ['distance', 'learning_rate', 'heuristic'])
  checkScalar('scaleByDog', 'the number of initStep', first, 0)
  checkScalar('scaleByDog', 'eps', eps, 0)
  const a = arithmeticOf(options.arithmetic)
  const exact = chosen(options, arithmeticNames)
  return {
    init(params) {
      const dtype = lowest(params)
      const scalar = (value: number): Tensor => full([], a.weak(value, dtype), { dtype })
      const far = (): Tensor => inDtype(a.mul(first, a.add(1, globalNorm(params, exact))), dtype)
      return {
        isInitStep: true,
        initParams: stateTree(params, (p) => p),
        maxDist: kind === 'heuristic' ? far() : scalar(kind === 'distance' ? first : 0),
        sumSqNormGrads: scalar(0),
      }
    },
    update(updates, state, params) {
      const at = needParams('scaleByDog', params)
      const [moved] = leafwise('scaleByDog', [state.initParams, at], ([p0, p]) => [a.sub(p0!, p!)])
      const maxDist = a.maximum(state.maxDist, globalNorm(moved, exact))
      const sumSqNormGrads = a.add(state.sumSqNormGrads, squaredNorm(a, updates))
      const found = a.div(maxDist, a.sqrt(a.add(sumSqNormGrads, eps)))
      const given = kind === 'learning_rate' && state.isInitStep
      const dtype = found.dtype as FloatDType
      const rate = given ? full([], a.weak(first, dtype), { dtype }) : found
      const [scaled] = leafwise('scaleByDog', [updates], ([g]) => [a.mul(rate, g!)])
      return [scaled, { isInitStep: false, initParams: state.initParams, maxDist, sumSqNormGrads }]
    },
  }
}

/** DoG with weight decay and a factor of the rate that it finds. */
export interface DogOptions extends ScaleByDogOptions, FoundRateOptions {}

const names: OptionTable<DogOptions> = { ...foundRateNames, ...scaleByDogNames }

/**
 * Distance over gradients, descent without a rate: `chain(addDecayedWeights, scaleByDog, scaleByLearningRate)`. Its authors
 * evaluate an average of the parameters.
 *
 * Source    DoG is SGD's best friend, arXiv:2302.12022
 *
 * @example dog().init([tensor([1])]).length // 3
 */
export function dog(options: DogOptions = {}): GradientTransformation<readonly State[]> {
  checkOptions('dog', options, names)
  return withFoundRate(scaleByDog(chosen(options, scaleByDogNames)), options)
}
