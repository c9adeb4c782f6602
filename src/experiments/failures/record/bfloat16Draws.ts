import { checkArray, checkOptions } from '../../../base/options/index.js'
import { key, normal } from '../../../tensors/random/index.js'
import { add, cast, mul, type Tensor, tensor } from '../../../tensors/tensor/index.js'

/** Normal numbers in bfloat16, the same for the same seed. */
export function bfloat16Draws(
  seed: number,
  shape: readonly number[],
  options: { readonly mean?: number; readonly deviation?: number } = {},
): Tensor<'bfloat16'> {
  checkArray('bfloat16Draws', 'shape', shape)
  checkOptions('bfloat16Draws', options, { mean: 'optional', deviation: 'optional' })
  const { mean = 0, deviation = 1 } = options
  const size = shape.reduce((n, length) => n * length, 1)
  return cast(add(mul(tensor(normal(key(seed), size), { shape }), deviation), mean), 'bfloat16')
}
