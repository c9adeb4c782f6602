import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { type FloatDType, full } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { chosen } from '../arithmetic/chosen.js'
import { stateTree, zerosLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { chain } from '../chain.js'
import type { Mask } from '../mask.js'
import { type GradientTransformation, needParams, type State } from '../transformation.js'
import { addDecayedWeights } from '../transforms/addDecayedWeights.js'
import { type LearningRate, scaleByLearningRate } from '../transforms/scaleByLearningRate.js'

/** How the coins are bet. */
export interface ScaleByCocobOptions extends ArithmeticOption {
  /** The largest share of a bet is 1 / alpha. Default: 100. */
  readonly alpha?: number
  /** The largest gradient before any is seen. Default: 1e-8. */
  readonly eps?: number
}

/** The names of `ScaleByCocobOptions`. */
export const scaleByCocobNames: OptionTable<ScaleByCocobOptions> = {
  alpha: 'optional',
  eps: 'optional',
  ...arithmeticNames,
}

/** Where the parameters began; of each element minus the sum of gradients, their largest, their sum in size, the money won. */
export type CocobState = {
  readonly initParticles: Tree
  readonly cumulativeGradients: Tree
  readonly scale: Tree
  readonly subgradients: Tree
  readonly reward: Tree
}

/**
 * COCOB: every element bets on where its gradients go, and is put where its bet says. It follows everything that changes
 * gradients, as its updates are the way from the parameters to that place.
 *
 * Rounding  every operation to the dtype of its leaf.
 * Source    Training deep networks without learning rates through coin betting, arXiv:1705.07795, algorithm 2
 *
 * @example tree.leavesOf(scaleByCocob().init([tensor([1])]).scale)[0].item() // 9.99999993922529e-9
 */
export function scaleByCocob(options: ScaleByCocobOptions = {}): GradientTransformation<CocobState> {
  checkOptions('scaleByCocob', options, scaleByCocobNames)
  const { alpha = 100, eps = 1e-8 } = options
  checkScalar('scaleByCocob', 'alpha', alpha, 0)
  checkScalar('scaleByCocob', 'eps', eps, 0)
  const a = arithmeticOf(options.arithmetic)
  return {
    init: (params) => ({
      initParticles: stateTree(params, (p) => p),
      cumulativeGradients: zerosLike(params),
      scale: stateTree(params, (p) => {
        const dtype = p.dtype as FloatDType
        return full(p.shape, a.weak(eps, dtype), { dtype })
      }),
      subgradients: zerosLike(params),
      reward: zerosLike(params),
    }),
    update(updates, state, params) {
      const at = needParams('scaleByCocob', params)
      const { initParticles } = state
      const before = [state.scale, updates, state.subgradients, state.reward, at, initParticles] as const
      const [scale, subgradients, reward] = leafwise('scaleByCocob', before, ([l, g, sum, won, p, p0]) => {
        const size = a.abs(g!)
        return [a.maximum(l!, size), a.add(sum!, size), a.maximum(a.sub(won!, a.mul(g!, a.sub(p!, p0!))), 0)]
      })
      const [cumulativeGradients] = leafwise(
        'scaleByCocob',
        [state.cumulativeGradients, updates],
        ([c, g]) => [a.sub(c!, g!)],
      )
      const after = [updates, at, initParticles, cumulativeGradients, scale, subgradients, reward] as const
      const [moves] = leafwise('scaleByCocob', after, ([, p, p0, c, l, sum, won]) => {
        const share = a.div(c!, a.mul(l!, a.maximum(a.add(sum!, l!), a.mul(alpha, l!))))
        const place = a.add(p0!, a.mul(share, a.add(l!, won!)))
        return [a.add(a.mul(-1, p!), place)]
      })
      return [moves, { initParticles, cumulativeGradients, scale, subgradients, reward }]
    },
  }
}

/** COCOB with weight decay and a factor of the gradients. */
export interface CocobOptions extends ScaleByCocobOptions {
  /** A factor of the gradients, or its schedule. Default: 1. */
  readonly learningRate?: LearningRate
  /** Default: 0. */
  readonly weightDecay?: LearningRate
  /** Where weights decay. Default: everywhere. */
  readonly mask?: Mask
}

const names: OptionTable<CocobOptions> = {
  learningRate: 'optional',
  weightDecay: 'optional',
  mask: 'optional',
  ...scaleByCocobNames,
}

/**
 * Continuous coin betting, descent without a rate: `chain(addDecayedWeights, scaleByLearningRate, scaleByCocob)`.
 *
 * Source    Training deep networks without learning rates through coin betting, arXiv:1705.07795
 *
 * @example cocob().init([tensor([1])]).length // 3
 */
export function cocob(options: CocobOptions = {}): GradientTransformation<readonly State[]> {
  checkOptions('cocob', options, names)
  const { learningRate = 1, weightDecay = 0, mask } = options
  const exact = chosen(options, arithmeticNames)
  return chain(
    addDecayedWeights(weightDecay, mask === undefined ? exact : { ...exact, mask }),
    scaleByLearningRate(learningRate, { ...exact, flipSign: false }),
    scaleByCocob(chosen(options, scaleByCocobNames)),
  )
}
