import { checkInteger } from '../../../base/options/index.js'
import type { Key } from '../../../tensors/random/index.js'
import { cast, type FloatDType, type Shape, type Tensor } from '../../../tensors/tensor/index.js'

/**
 * Fresh parameters of a shape from a key, in float32, the bits of jax.nn.initializers' function of the same name on CPU. A
 * layer rounds them once to the dtype that its policy keeps (JAX asked for a narrow dtype draws other numbers).
 */
export type Initializer = (key: Key, shape: Shape) => Tensor<'float32'>

/** What an initializer makes, rounded once to a dtype. */
export function initialized(make: Initializer, key: Key, shape: Shape, dtype: FloatDType): Tensor {
  return cast(make(key, shape), dtype)
}

/** Throws a RangeError unless the shape is one. */
export function checkInitialShape(op: string, shape: Shape): void {
  if (!Array.isArray(shape)) throw new RangeError(`${op}: shape is not a list of sizes [${String(shape)}]`)
  for (const size of shape) checkInteger(op, 'a size', size)
}
