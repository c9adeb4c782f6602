import { nameAdvice, shown } from '../../base/options/index.js'
import { cast, type DType, dtypes, isFloat, type Tensor, tensor } from '../../tensors/tensor/index.js'
import type { Inner, Tf, TfTensor } from './tfjs.js'

/** The dtypes that both sides have. */
export type SharedDType = 'float32' | 'int32' | 'bool'

/** `TfjsBinding.toTf`. */
export function toTf(tf: Tf, x: Tensor): Inner {
  const { dtype } = x
  const lacking = dtype === 'float64' || (!isFloat(dtype) && dtype !== 'int32' && dtype !== 'bool')
  if (lacking) {
    throw new TypeError(
      `toTf: tfjs has no ${dtype}, cast to ${dtype === 'float64' ? 'float32' : 'int32 or float32'} first [${dtype}]`,
    )
  }
  const shared: SharedDType = isFloat(dtype) ? 'float32' : (dtype as 'int32' | 'bool')
  // tf's plain backend keeps the array that it is given.
  const data = dtype === shared ? x.data.slice() : cast(x, 'float32').data
  return tf.tensor(data as Float32Array | Int32Array | Uint8Array, [...x.shape], shared)
}

/** `TfjsBinding.fromTf`. */
export function fromTf(x: TfTensor, dtype?: DType): Tensor {
  const shared = x.dtype
  if (shared !== 'float32' && shared !== 'int32' && shared !== 'bool') {
    throw new TypeError(`fromTf: a dtype that tensors do not have [${shared}]`)
  }
  if (dtype !== undefined && !dtypes.includes(dtype)) {
    throw new TypeError(`fromTf: unknown dtype, ${nameAdvice(dtype, dtypes)} [${shown(dtype)}]`)
  }
  const values = x.dataSync() as Float32Array | Int32Array | Uint8Array
  const same = tensor(values, { shape: x.shape, dtype: shared })
  return dtype === undefined ? same : cast(same, dtype)
}
