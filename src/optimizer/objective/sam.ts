import { checkInteger, checkOptions, type OptionTable } from '../../base/options/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { checkFlag } from '../arithmetic/checkScalar.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { checkTransformation } from '../checkTransformation.js'
import { applyUpdates } from '../step/applyUpdates.js'
import { type ExtraArgs, type GradientTransformation, needParams, type State } from '../transformation.js'

/** How the adversarial steps are done. */
export interface SamOptions extends ArithmeticOption {
  /** Steps from one real step to the next: one less of them is adversarial. Default: 2. */
  readonly syncPeriod?: number
  /** Whether the adversarial optimizer forgets its state at a real step. Default: true. */
  readonly resetState?: boolean
  /** Whether all of it is one call of `update`, which asks `gradFn` for the gradients between. Default: false. */
  readonly opaqueMode?: boolean
}

const names: OptionTable<SamOptions> = {
  syncPeriod: 'optional',
  resetState: 'optional',
  opaqueMode: 'optional',
  ...arithmeticNames,
}

/** Steps since the last real one, both states, and the parameters of that step (none in opaque mode). */
export type SamState = {
  readonly stepsSinceSync: number
  readonly optState: State
  readonly advState: State
  readonly cache: Tree
}

/**
 * Sharpness-aware minimization: the adversarial optimizer climbs from the parameters, and the gradient there moves the
 * parameters themselves. In its plain mode every `syncPeriod`-th call of `update` is a real step, the others climb; in opaque
 * mode each call does both, with gradients of `gradFn` among its extra arguments.
 *
 * Source    Sharpness-aware minimization for efficiently improving generalization, arXiv:2010.01412
 *
 * @example sam(sgd({ learningRate: 1 }), chain(normalize(), sgd({ learningRate: 0.05 }))).init([tensor([1])]).stepsSinceSync // 0
 */
export function sam(
  optimizer: GradientTransformation,
  advOptimizer: GradientTransformation,
  options: SamOptions = {},
): GradientTransformation<SamState> {
  checkTransformation('sam', 'the optimizer', optimizer)
  checkTransformation('sam', 'the adversarial optimizer', advOptimizer)
  checkOptions('sam', options, names)
  checkFlag('sam', 'resetState', options.resetState)
  checkFlag('sam', 'opaqueMode', options.opaqueMode)
  const { syncPeriod = 2, resetState = true, opaqueMode = false } = options
  checkInteger('sam', 'syncPeriod', syncPeriod, 1)
  const a = arithmeticOf(options.arithmetic)
  const climbing: GradientTransformation = {
    init: advOptimizer.init,
    update(updates, state, params) {
      const [climb, next] = advOptimizer.update(updates, state, params)
      return [leafwise('sam', [climb], ([u]) => [a.mul(-1, u!)])[0], next]
    },
  }
  return {
    init: (params) => ({
      stepsSinceSync: 0,
      optState: optimizer.init(params),
      advState: advOptimizer.init(params),
      cache: opaqueMode ? {} : (params as Tree),
    }),
    update(updates, state, params, extra) {
      const at = needParams('sam', params)
      if (opaqueMode) {
        const gradFn = needGradFn(extra)
        let there = at
        let grads = updates
        let { advState } = state
        for (let i = 0; i < syncPeriod - 1; i++) {
          const [climb, next] = climbing.update(grads, advState, there)
          there = applyUpdates(there, climb, a.name === 'ieee' ? {} : { arithmetic: a.name })
          grads = gradFn(there, i) as typeof updates
          advState = next
        }
        const [moves, optState] = optimizer.update(grads, state.optState, at)
        return [moves, { ...state, optState, advState: resetState ? advOptimizer.init(at) : advState }]
      }
      const first = state.stepsSinceSync === 0
      const last = state.stepsSinceSync === syncPeriod - 1
      const stepsSinceSync = (state.stepsSinceSync + 1) % syncPeriod
      const cache = first ? (at as Tree) : state.cache
      if (!last) {
        const [climb, advState] = climbing.update(updates, state.advState, at)
        return [climb, { ...state, advState, cache, stepsSinceSync }]
      }
      const [moves, optState] = optimizer.update(updates, state.optState, state.cache)
      const [back] = leafwise('sam', [updates, state.cache, at, moves], ([, c, p, u]) => [
        a.add(a.sub(c!, p!), u!),
      ])
      const advState = resetState ? advOptimizer.init(at) : state.advState
      return [back, { optState, advState, cache, stepsSinceSync }]
    },
  }
}

function needGradFn(extra: ExtraArgs | undefined): NonNullable<ExtraArgs['gradFn']> {
  if (typeof extra?.gradFn !== 'function') {
    throw new RangeError('sam: opaque mode needs { gradFn } as the fourth argument of update [undefined]')
  }
  return extra.gradFn
}
