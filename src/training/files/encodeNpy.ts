import { checkTensor, type Tensor } from '../../tensors/tensor/index.js'
import { descrOf } from './npyDescr.js'
import { npyHeaderBytes } from './npyHeader.js'
import { bytesOf } from './tensorBytes.js'

/**
 * A tensor as the bytes of an npy file, version 1.0, row-major and little-endian: the bytes that NumPy 2.4 writes.
 *
 * Dtype     bool float16 float32 float64 and integers of 8 to 64 bits by NumPy's own names. The others as ml_dtypes arrays are saved:
 *           bfloat16 as '<V2', codes of at most 8 bits as '<V1'; after `numpy.load`, `array.view(ml_dtypes.bfloat16)`
 *           is the tensor. (ml_dtypes names float8_e5m2 '<f1', which NumPy then refuses to load; here it is '<V1'.)
 * Rounding  none: every bit is kept.
 * Source    https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 *
 * @example encodeNpy(tensor([1, 2])).length // 136
 */
export function encodeNpy(x: Tensor): Uint8Array {
  const [header, data] = piecesOfNpy('encodeNpy', x)
  const bytes = new Uint8Array(header.length + data.length)
  bytes.set(header)
  bytes.set(data, header.length)
  return bytes
}

/** The header and the data of an npy file; errors begin with `op`. */
export function piecesOfNpy(op: string, x: Tensor): [header: Uint8Array, data: Uint8Array] {
  checkTensor(op, x)
  return [npyHeaderBytes(op, descrOf(x.dtype), x.shape), bytesOf(x)]
}
