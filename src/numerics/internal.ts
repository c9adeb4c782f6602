import type { OptionTable } from '../options/index.js'
import { type AccumulateOptions, cast, type DType, type FloatDType, type Tensor } from '../tensor/index.js'
import { checkFloats } from './wide.js'

/** How a function made of several operations computes. */
export interface InternalOptions extends AccumulateOptions {
  /**
   * The dtype of every operation inside; the result is then rounded once to the dtype of x. Default: the dtype of x
   * itself, op by op, the naive way; 'float32' is the stable way.
   */
  readonly internal?: FloatDType
}

export const internalNames: OptionTable<InternalOptions> = {
  internal: 'optional',
  order: 'optional',
  accumulate: 'optional',
}

/** Casts x to the internal dtype, computes there, and rounds the result once back to the dtype of x. */
export function inside<D extends DType>(
  op: string,
  x: Tensor<D>,
  internal: FloatDType | undefined,
  compute: (x: Tensor) => Tensor,
): Tensor<D> {
  checkFloats(op, x)
  if (internal === undefined || internal === (x.dtype as DType)) return compute(x) as Tensor<D>
  const inner = cast(x, internal)
  checkFloats(op, inner)
  return cast(compute(inner), x.dtype)
}
