import { apply, type DType, type Op, Tensor } from '../tensor/index.js'

/** The record of stopGradient: elements pass, gradients do not. */
export const stopGradientOp: Op = { name: 'stopGradient', kernel: ([x]) => x! }

/** The same elements as a constant to gradients; a recording sees where they come from. */
export function constant<D extends DType>(x: Tensor<D>): Tensor<D> {
  return apply(stopGradientOp, [x], undefined) as Tensor<D>
}

/** The same elements without a trace, for use inside a kernel. */
export function untraced<D extends DType>(x: Tensor<D>): Tensor<D> {
  return x.trace ? new Tensor(x.dtype, x.shape, x.data) : x
}
