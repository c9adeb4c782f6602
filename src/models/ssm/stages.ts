import {
  apply,
  cast,
  cumsum,
  exp,
  type FloatDType,
  type Op,
  type Order,
  type Tensor,
  untraced,
} from '../../tensors/tensor/index.js'

/** How `widenedSumsOp` adds. */
export interface Widened {
  readonly axis: number
  readonly order: Order
  readonly dtype: FloatDType
}

/**
 * Running sums that are added and kept in a wider dtype than that of x. As one operation its cotangent arrives in the
 * wide dtype and counts as one of x: it is rounded to the dtype of x, then summed the other way round in the wide one.
 */
export const widenedSumsOp: Op<Widened> = {
  name: 'widenedSums',
  form: 'scan',
  rounds: 'each step',
  kernel: ([x], { axis, order, dtype }) => cumsum(cast(untraced(x!), dtype), { axis, order }),
}

/** Running sums of x, kept in `dtype`. */
export function widenedSums(x: Tensor, axis: number, order: Order, dtype: FloatDType): Tensor {
  return apply(widenedSumsOp, [x], { axis, order, dtype })
}

/**
 * exp of a wider dtype with a narrower result, rounded to its own dtype and then to the narrow one. As one operation
 * its derivative is the result that it gave, the narrow one.
 */
export const narrowedExpOp: Op<FloatDType> = {
  name: 'narrowedExp',
  form: 'elementwise',
  rounds: 'once',
  kernel: ([x], dtype) => cast(exp(untraced(x!)), dtype),
}

/** exp of exponents, in `dtype`. */
export function expTo(x: Tensor, dtype: FloatDType): Tensor {
  return x.dtype === dtype ? exp(x) : apply(narrowedExpOp, [x], dtype)
}
