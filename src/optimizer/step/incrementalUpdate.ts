import { checkOptions } from '../../base/options/index.js'
import type { OfTensors, Treelike } from '../../tensors/tree/index.js'
import {
  type ArithmeticOption,
  arithmeticNames,
  arithmeticOf,
  type Elementwise,
} from '../arithmetic/arithmetic.js'
import { checkScalar } from '../arithmetic/checkScalar.js'
import { leafwise } from '../arithmetic/leafwise.js'
import type { Scalar } from '../arithmetic/operand.js'

/**
 * stepSize newTensors + (1 - stepSize) oldTensors: what target networks and averaged weights are moved by. `stepSize` is
 * the share of the new ones, 1 - tau where tau is what is kept.
 *
 * Dtype     the one both meet in. Rounding each product, then the sum: a bfloat16 mean stalls once the step is under
 *           half an ulp of it.
 *
 * @example tree.leavesOf(incrementalUpdate([tensor([3])], [tensor([1])], 0.5))[0].item() // 2
 */
export function incrementalUpdate<P extends Treelike>(
  newTensors: P & OfTensors<P>,
  oldTensors: Treelike,
  stepSize: Scalar,
  options: ArithmeticOption = {},
): P {
  checkOptions('incrementalUpdate', options, arithmeticNames)
  const a = arithmeticOf(options.arithmetic)
  checkScalar('incrementalUpdate', 'stepSize', stepSize, 0, 1)
  return mixTrees('incrementalUpdate', a, newTensors, oldTensors, stepSize)
}

/** stepSize newTensors + (1 - stepSize) oldTensors. */
export function mixTrees<P extends Treelike>(
  op: string,
  a: Elementwise,
  newTensors: P,
  oldTensors: Treelike,
  stepSize: Scalar,
): P {
  return leafwise(op, [newTensors, oldTensors], ([x, old]) => [
    a.add(a.mul(stepSize, x!), a.mul(a.oneMinus(stepSize), old!)),
  ])[0]
}
