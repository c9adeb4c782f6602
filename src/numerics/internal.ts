import type { OptionTable } from '../base/options/index.js'
import {
  type AccumulateOptions,
  cast,
  type DType,
  type FloatDType,
  type Tensor,
} from '../tensors/tensor/index.js'
import { checkFloats } from './wide.js'

/** How a function made of several operations computes. */
export interface InternalOptions extends AccumulateOptions {
  /**
   * The dtype of every operation inside, sums included; the result is then rounded once to the dtype of x. Default: the
   * dtype of x itself, op by op, with its sums in float32; 'float32' is the stable way, and the default of `variance`.
   */
  readonly internal?: FloatDType
}

export const internalNames: OptionTable<InternalOptions> = {
  internal: 'optional',
  order: 'optional',
  accumulate: 'optional',
}

/**
 * Casts x to the internal dtype, computes there, and rounds the result once back to the dtype of x. `compute` gets the
 * options of its sums: an internal dtype that is given is that of the sums too.
 */
export function inside<D extends DType, O extends InternalOptions>(
  op: string,
  x: Tensor<D>,
  { internal, ...how }: O,
  compute: (x: Tensor, how: Omit<O, 'internal'>) => Tensor,
): Tensor<D> {
  checkFloats(op, x)
  if (internal === undefined) return compute(x, how) as Tensor<D>
  const inner = cast(x, internal)
  checkFloats(op, inner)
  return cast(compute(inner, { accumulate: internal, ...how }), x.dtype)
}
