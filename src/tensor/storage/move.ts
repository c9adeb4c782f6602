import { type AnyStorage, allocate, type DType, type Storage } from './dtype.js'
import type { Shape } from './shape.js'
import { Tensor } from './tensor.js'

/**
 * Storage as elements that move without changing a bit: float32 through integer views, since a float32 NaN
 * that passes through a number may come out quiet. Float64 numbers keep their bits.
 */
export function movable(data: AnyStorage): Exclude<AnyStorage, Float32Array> {
  return data instanceof Float32Array ? new Uint32Array(data.buffer, data.byteOffset, data.length) : data
}

/** The elements of x at `offsets`, in that order, as a tensor of `shape`. */
export function gather<D extends DType>(x: Tensor<D>, shape: Shape, offsets: Int32Array): Tensor<D> {
  const data: Storage<D> = allocate(x.dtype, offsets.length)
  const from = movable(x.data)
  const to = movable(data)
  for (let i = 0; i < offsets.length; i++) to[i] = from[offsets[i]!]!
  return new Tensor(x.dtype, shape, data)
}
