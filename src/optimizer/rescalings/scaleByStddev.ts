import { checkOptions } from '../../base/options/index.js'
import type { Tensor } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { arithmeticOf } from '../arithmetic/arithmetic.js'
import { nextCount } from '../arithmetic/count.js'
import { fullLike, zerosLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { biasCorrection, updateMoment, updateSecondMoment } from '../arithmetic/moments.js'
import type { GradientTransformation } from '../transformation.js'
import { checkRms, inverseRoot, type ScaleByRmsOptions, scaleByRmsNames } from './scaleByRms.js'

/** Steps done, the mean and the mean of squares. */
export type StddevState = { readonly count: number; readonly mu: Tree; readonly nu: Tree }

/**
 * Updates by their standard deviation: as `scaleByRms`, with nu' - mu'^2 in the place of nu'.
 *
 * Special   rounding may make nu' - mu'^2 negative: NaN.
 */
export function scaleByStddev(options: ScaleByRmsOptions = {}): GradientTransformation<StddevState> {
  checkOptions('scaleByStddev', options, scaleByRmsNames)
  const { decay = 0.9, initialScale = 0 } = options
  const a = arithmeticOf(options.arithmetic)
  checkRms('scaleByStddev', options)
  return {
    recordable: true,
    init: (params) => ({ count: 0, mu: zerosLike(params), nu: fullLike(params, initialScale) }),
    update(updates, state) {
      const t = nextCount(state.count)
      const trees = [updates, state.mu, state.nu] as const
      const [scaled, mu, nu] = leafwise('scaleByStddev', trees, ([g, m, v], count) => {
        const mean = updateMoment(a, decay, g!, m!)
        const square = updateSecondMoment(a, decay, g!, v!)
        const hat = (x: Tensor): Tensor =>
          options.biasCorrection ? biasCorrection(a, decay, t, x, count) : x
        const meanHat = hat(mean)
        const variance = a.sub(hat(square), a.mul(meanHat, meanHat))
        return [a.mul(inverseRoot(a, variance, options), g!), mean, square]
      })
      return [scaled, { count: t, mu, nu }]
    },
  }
}
