import { checkInteger } from '../../base/options/index.js'
import { checkSameTree, type Treelike } from '../../tensors/tree/index.js'

/**
 * The new tensors at every `updatePeriod`-th step, from step 0 on, and else the old ones: for a target network that is copied now and then.
 *
 * @example [4, 5].map((step) => tree.leavesOf(periodicUpdate([tensor([1])], [tensor([0])], step, 2))[0].item()) // [1, 0]
 */
export function periodicUpdate<P extends Treelike>(
  newTensors: P,
  oldTensors: P,
  steps: number,
  updatePeriod: number,
): P {
  checkInteger('periodicUpdate', 'steps', steps, 0)
  checkInteger('periodicUpdate', 'updatePeriod', updatePeriod, 1)
  checkSameTree('periodicUpdate', newTensors, oldTensors)
  return steps % updatePeriod === 0 ? newTensors : oldTensors
}
