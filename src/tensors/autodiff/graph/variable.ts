import { type DType, type KnownOp, type Tensor, withTrace } from '../../tensor/index.js'

/** The record of a root: what gradients are taken for, and where recordings begin. Elements pass unchanged. */
export const variableOp: KnownOp = { name: 'variable', form: 'view', rounds: 'never', kernel: ([x]) => x! }

/**
 * The same elements as a root of a graph of its own. If x has a trace already, an outer gradient's or a recording's, the
 * root leads on to it, so that what is computed from the root belongs to the outer graph too.
 */
export function variable<D extends DType>(x: Tensor<D>): Tensor<D> {
  return withTrace(x, variableOp, x.trace ? [x] : [], undefined)
}
