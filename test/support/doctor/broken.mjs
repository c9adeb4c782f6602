import { tensor } from 'tpu-toolkit'

export function f() {
  throw new RangeError('the model is not here')
}
export const inputs = tensor(1)
export const imputs = inputs
