import {
  abs,
  add,
  greaterEqual,
  sign,
  sub,
  type Tensor,
  trunc,
  where,
} from '../../../tensors/tensor/index.js'

/** The nearest integer, halves away from zero; keeps -0. */
export function roundAway(x: Tensor): Tensor {
  const whole = trunc(x)
  // The fraction is exact, and so is the step to the next integer: where there is a fraction it has fewer bits than the format.
  const isUp = greaterEqual(abs(sub(x, whole)), 0.5)
  return where(isUp, add(whole, sign(x)), whole)
}
