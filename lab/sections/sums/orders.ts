import { allReduce, type NcclOrder, type ReduceOrder } from 'tpu-toolkit/collectives'
import { type FloatDType, type Tensor, tensor } from 'tpu-toolkit/tensor'

/** The orders of additions that are shown. */
export type ShownOrder = ReduceOrder | NcclOrder

export const shownOrders: readonly ShownOrder[] = ['ring', 'tree', 'all-to-all', 'nccl-ring', 'nccl-tree']

const ofNccl: readonly FloatDType[] = ['bfloat16', 'float16', 'float32']

/** Whether there is such a sum: NCCL adds in the dtype of the numbers, which is one of its own. */
export function isThere(order: ShownOrder, dtype: FloatDType, accumulate: FloatDType): boolean {
  return !order.startsWith('nccl-') || (ofNccl.includes(dtype) && dtype === accumulate)
}

/** One number of each machine, summed over the machines. */
export function sumInOrder(
  values: readonly number[],
  order: ShownOrder,
  dtype: FloatDType,
  accumulate: FloatDType,
): Tensor {
  const replicas = values.map((value) => tensor([value], { dtype }))
  return order === 'nccl-ring' || order === 'nccl-tree'
    ? allReduce(replicas, { order })
    : allReduce(replicas, { order, accumulate })
}
