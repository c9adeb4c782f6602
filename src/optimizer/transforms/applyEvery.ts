import { checkInteger, checkOptions } from '../../base/options/index.js'
import { cast, type FloatDType, Tensor } from '../../tensors/tensor/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { atCount, type Count, countOp } from '../arithmetic/count.js'
import { zerosLike } from '../arithmetic/fullLike.js'
import { leafwise } from '../arithmetic/leafwise.js'
import type { Scalar } from '../arithmetic/operand.js'
import { constantOf } from '../arithmetic/scheduled.js'
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
    recordable: true,
    init: (params) => ({ count: 0, gradAcc: zerosLike(params) }),
    update(updates, state) {
      const { keeps, emits, next } = placeOf(state.count, k)
      const [out, gradAcc] = leafwise('applyEvery', [updates, state.gradAcc], ([g, acc]) => {
        const total = a.add(a.mul(constantOf(a, keeps, acc!.dtype as FloatDType), acc!), g!)
        return [a.mul(constantOf(a, emits, total.dtype as FloatDType), total), total]
      })
      return [out, { count: next as number, gradAcc }]
    },
  }
}

/** By what the sum until now and what comes out are multiplied at a step, 0 or 1, and the count behind it. */
function placeOf(count: Count, k: number): { keeps: Scalar; emits: Scalar; next: Count } {
  if (!(count instanceof Tensor)) {
    return { keeps: keepsAt(count, k), emits: emitsAt(count, k), next: nextAt(count, k) }
  }
  return {
    keeps: atCount(keepsOp, count, k),
    emits: atCount(emitsOp, count, k),
    next: cast(atCount(nextOp, count, k), 'int32'),
  }
}

const keepsAt = (count: number, k: number): number => (count % k === 0 ? 0 : 1)
const emitsAt = (count: number, k: number): number => (count % k === k - 1 ? 1 : 0)
const nextAt = (count: number, k: number): number => (count + 1) % k
const keepsOp = countOp('applyEveryKeeps', keepsAt)
const emitsOp = countOp('applyEveryEmits', emitsAt)
const nextOp = countOp('applyEveryNext', nextAt)
