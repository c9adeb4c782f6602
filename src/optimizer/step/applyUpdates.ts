import { checkOptions } from '../../base/options/index.js'
import type { FloatDType } from '../../tensors/tensor/index.js'
import type { OfTensors, Treelike } from '../../tensors/tree/index.js'
import { type ArithmeticOption, arithmeticNames, arithmeticOf } from '../arithmetic/arithmetic.js'
import { leafwise } from '../arithmetic/leafwise.js'
import { inDtype } from '../arithmetic/operand.js'

/**
 * Parameters plus updates.
 *
 * Dtype     of the parameters. Rounding the sum to the dtype both meet in, then to the parameters'.
 *
 * @example tree.leavesOf(applyUpdates([tensor([1])], [tensor([-0.25])]))[0].item() // 0.75
 */
export function applyUpdates<P extends Treelike>(
  params: P & OfTensors<P>,
  updates: Treelike,
  options: ArithmeticOption = {},
): P {
  checkOptions('applyUpdates', options, arithmeticNames)
  const a = arithmeticOf(options.arithmetic)
  return leafwise('applyUpdates', [params, updates], ([p, u]) => [
    inDtype(a.add(p!, u!), p!.dtype as FloatDType),
  ])[0]
}
