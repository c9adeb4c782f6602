import { checkInteger, checkOptions } from '../../options/index.js'
import type { Tree } from '../../tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { tensorOf } from '../arithmetic/decoded.js'
import { zerosLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import type { GradientTransformation } from '../transformation.js'

/** Steps since the last emission, and the sum of updates since. */
export type ApplyEveryState = { readonly count: number; readonly gradAcc: Tree }

/**
 * The sum of updates every k steps, zeros in between. `multiSteps` instead gives their mean to an optimizer once; this
 * stands behind one that has seen every gradient.
 *
 * Rounding  each sum to the dtype of the updates.
 * Special   what is not finite stays: sums are multiplied by 0 to begin anew, as in optax.
 *
 * @example tree.leavesOf(applyEvery(2).update([tensor([3])], { count: 1, gradAcc: [tensor([4])] })[0])[0].item() // 7
 */
export function applyEvery(k = 1, options: ArithmeticOption = {}): GradientTransformation<ApplyEveryState> {
  checkOptions('applyEvery', options, arithmeticNames)
  checkInteger('applyEvery', 'k', k, 1)
  const a = arithmeticOf(options.arithmetic)
  return {
    init: (params) => ({ count: 0, gradAcc: zerosLike(params) }),
    update(updates, state) {
      const place = state.count % k
      const [out, gradAcc] = leafwise('applyEvery', [updates, state.gradAcc], ([g, acc]) => {
        const total = tensorOf(a.add(a.mul(place === 0 ? 0 : 1, acc!), g!))
        return [tensorOf(a.mul(place === k - 1 ? 1 : 0, total)), total]
      })
      return [out, { count: (state.count + 1) % k, gradAcc }]
    },
  }
}
