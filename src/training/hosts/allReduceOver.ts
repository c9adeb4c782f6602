import { checkName, checkOptions, type OptionTable } from '../../base/options/index.js'
import { checkFloatDType, type FloatDType } from '../../tensors/tensor/index.js'
import { leavesOf, replaceLeaves, type Treelike } from '../../tensors/tree/index.js'
import type { AllReduceOptions } from '../collectives/index.js'
import type { Mesh } from './mesh.js'
import { reduceOver } from './reduceOver.js'

const names: OptionTable<AllReduceOptions> = { order: 'required', op: 'optional', accumulate: 'optional' }
const orders: readonly AllReduceOptions['order'][] = ['ring', 'tree', 'all-to-all']

/** A tree reduced over all hosts, leaf by leaf, all leaves under way at once; `call` is the number of the reduction, alike on all. */
export async function allReduceOver<P extends Treelike>(
  group: Mesh,
  tree: P,
  options: AllReduceOptions,
  call: number,
): Promise<P> {
  const name = 'allReduce'
  checkOptions(name, options, names, { positional: 'order' })
  const { order, op = 'sum', accumulate } = options
  checkName(name, 'order', order, orders)
  checkName(name, 'op', op, ['sum', 'mean'])
  if (accumulate !== undefined) checkFloatDType(name, 'accumulate', accumulate)
  const leaves = leavesOf(tree, { op: name })
  for (const { dtype } of leaves) checkFloatDType(name, 'the dtype of a leaf', dtype)
  const reduced = await Promise.all(
    leaves.map((x, i) => {
      const tag = `reduce ${call}.${i} ${order}`
      return reduceOver(group, x, { order, op, accumulate: accumulate ?? (x.dtype as FloatDType), tag })
    }),
  )
  return replaceLeaves(tree, reduced) as Treelike as P
}
