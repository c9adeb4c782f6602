import { sum, type Tensor } from '../../tensor/index.js'

/** XLA's sum of a leaf: float32 inside, one rounding out. */
export function sumXla(x: Tensor): Tensor {
  const accumulate = x.dtype === 'float64' ? 'float64' : 'float32'
  return x.rank <= 1
    ? sum(x, { order: { windowed: 32 }, accumulate })
    : sum(x, { order: 'sequential', accumulate })
}
