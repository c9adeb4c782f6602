import { reshape, tensor } from '../../../tensors/tensor/index.js'
import { has, integers } from '../values/attributes.js'
import { type Lowering, single } from '../values/lowering.js'
import type { CollectiveName, LoweringTable } from '../values/operations.js'

/** Among one device nothing is exchanged: the operands are the results. */
const alone: Lowering = (op) => {
  if (has(op, 'replica_groups')) {
    const members = integers(op, 'replica_groups').filter((id) => id >= 0)
    if (members.some((id) => id !== 0)) {
      throw new RangeError(`exchanges data among ${new Set(members).size} devices, where there is one`)
    }
  }
  if (has(op, 'source_target_pairs')) {
    if (integers(op, 'source_target_pairs').some((id) => id !== 0)) {
      throw new RangeError('exchanges data among several devices, where there is one')
    }
  }
  return (inputs) => inputs
}

const zero: Lowering = () => single(() => reshape(tensor([0], { dtype: 'uint32' }), []))

/** Operations of several devices, on one. */
export const collectives: LoweringTable<CollectiveName> = {
  'stablehlo.all_gather': alone,
  'stablehlo.all_reduce': alone,
  'stablehlo.all_to_all': alone,
  'stablehlo.collective_broadcast': alone,
  'stablehlo.collective_permute': alone,
  'stablehlo.cross-replica-sum': alone,
  'stablehlo.partition_id': zero,
  'stablehlo.reduce_scatter': alone,
  'stablehlo.replica_id': zero,
}
