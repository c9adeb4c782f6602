import { apply, type DType, type KnownOp, type Tensor } from '../tensor/index.js'

/** The record of stopGradient: elements pass, gradients do not. */
export const stopGradientOp: KnownOp = {
  name: 'stopGradient',
  form: 'moves',
  rounds: 'never',
  kernel: ([x]) => x!,
}

/** The same elements as a constant to gradients; a recording sees where they come from. */
export function constant<D extends DType>(x: Tensor<D>): Tensor<D> {
  return apply(stopGradientOp, [x], undefined) as Tensor<D>
}
