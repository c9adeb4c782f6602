import { sum, type Tensor, wideDType } from '../../tensors/tensor/index.js'

/** XLA's sum of a leaf: float32 inside, one rounding out. */
export function sumXla(x: Tensor): Tensor {
  const accumulate = wideDType(x.dtype)
  return x.rank <= 1
    ? sum(x, { order: { windowed: 32 }, accumulate })
    : sum(x, { order: 'sequential', accumulate })
}
