import {
  add,
  concat,
  dtypeFacts,
  type FloatDType,
  mul,
  reshape,
  slice,
  type Tensor,
  tensor,
} from '../../../tensors/tensor/index.js'
import { channelParts } from './channelParts.js'
import { doubleTree, type TreeNode } from './doubleTree.js'
import type { NcclReduction } from './ncclOptions.js'
import { sumInPieces } from './pieces.js'
import { ringPieces } from './ringPieces.js'

const dtypes: readonly FloatDType[] = ['bfloat16', 'float16', 'float32', 'float64']

/** One leaf of all replicas, reduced as NCCL reduces it. */
export function ncclSum(op: string, leaves: readonly Tensor[], how: NcclReduction): Tensor {
  const dtype = leaves[0]!.dtype as FloatDType
  if (!dtypes.includes(dtype)) {
    throw new TypeError(`${op}: NCCL's orders add ${dtypes.join(', ')}, cast first [${dtype}]`)
  }
  // A mean is a sum of addends that were multiplied by 1/N, float32's and then the dtype's (ncclAvg, PreMulSum).
  const inverse = dtype === 'float64' ? 1 / leaves.length : Math.fround(1 / leaves.length)
  const addends = how.op === 'sum' ? leaves : leaves.map((x) => mul(x, tensor(inverse, { dtype })))
  const { size, shape } = leaves[0]!
  const bytes = dtypeFacts(dtype).bits / 8
  const parts = channelParts(size, bytes, how)
  if (how.order === 'nccl-ring') {
    const pieces = parts.flatMap((part) => ringPieces(part, bytes, how))
    return sumInPieces(addends, pieces, dtype)
  }
  const trees = [false, true].map((second) => doubleTree(leaves.length, how, second))
  const flat = addends.map((x) => reshape(x, [size]))
  const sums = parts.map(({ channel, start, end }) => {
    const tree = trees[channel < how.channels / 2 ? 0 : 1]!
    return sumUp(tree, (replica) => slice(flat[replica]!, [[start, end]]))
  })
  return sums.length === 0 ? addends[0]! : reshape(concat(sums), shape)
}

function sumUp({ replica, children }: TreeNode, own: (replica: number) => Tensor): Tensor {
  return children.reduce((sum, child) => add(sum, sumUp(child, own)), own(replica))
}
