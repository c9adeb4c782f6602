import { matmul, mul, type Tensor } from '../../tensors/tensor/index.js'
import { asColumn, flipped } from './axes.js'
import type { SsmInputs, SsmOptions } from './inputs.js'

/** C_i . (dt_j B_j) for all pairs; one product and no sum where there is one state. */
export function scores({ dt, B, C }: SsmInputs, { accumulate }: SsmOptions): Tensor {
  const right = flipped(mul(asColumn(dt), B))
  if (C.shape.at(-1) === 1) return mul(C, right)
  return matmul(C, right, accumulate ? { accumulate } : {})
}
