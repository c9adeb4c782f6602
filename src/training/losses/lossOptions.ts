import type { OptionTable } from '../../base/options/index.js'
import {
  type AccumulateOptions,
  broadcastTo,
  cast,
  checkFloatDType,
  checkTensor,
  type DType,
  expandDims,
  type FloatDType,
  isFloat,
  isSealed,
  less,
  sameShape,
  sum,
  type Tensor,
  where,
} from '../../tensors/tensor/index.js'

/** How a loss computes. */
export interface LossOptions {
  /**
   * The dtype of every operation inside; the result is then rounded once to the dtype of the first argument. Default: that
   * dtype itself, op by op; 'float32' is the stable way.
   */
  readonly internal?: FloatDType
}

export const lossNames: OptionTable<LossOptions> = { internal: 'optional' }

/** How a loss that sums along an axis computes. */
export interface SummedLossOptions extends LossOptions, AccumulateOptions {
  /** The axis of the classes. Default: the last. */
  readonly axis?: number
  /**
   * Elements that count, of the shape of the first argument, or of lanes, of that shape without the axis; axes of length 1
   * are repeated. A lane of which none counts gives 0. Default: all.
   */
  readonly where?: Tensor<'bool'>
}

export const summedNames: OptionTable<SummedLossOptions> = {
  axis: 'optional',
  where: 'optional',
  order: 'optional',
  accumulate: 'optional',
  ...lossNames,
}

/** The options with the elements that count as a mask of the shape of `x`, checked. */
export function counted<O extends SummedLossOptions>(op: string, options: O, x: Tensor): O {
  const { where: mask, axis = -1 } = options
  if (mask === undefined) return options
  checkTensor(op, mask)
  if (mask.dtype !== 'bool') throw new TypeError(`${op}: where is not of dtype bool [${mask.dtype}]`)
  const full = mask.rank === x.rank - 1 ? expandDims(mask, axis) : mask
  if (full.rank !== x.rank || full.shape.some((length, i) => length !== 1 && length !== x.shape[i])) {
    throw new RangeError(
      `${op}: where has another shape [${mask.shape.join(', ')} and ${x.shape.join(', ')}]`,
    )
  }
  return { ...options, where: broadcastTo(full, x.shape) }
}

/** What counts, and a number in the place of the rest. */
export function kept(x: Tensor, { where: mask }: SummedLossOptions, otherwise = 0): Tensor {
  return mask ? where(mask, x, otherwise) : x
}

/** Sums along the axis the elements that count. */
export function summed(x: Tensor, options: SummedLossOptions, keepDims = false): Tensor {
  const { axis = -1 } = options
  return sum(kept(x, options), { axis, keepDims, ...sumsOf(options) })
}

/** The options of a sum, those of them that are given. */
export function sumsOf({ order, accumulate }: AccumulateOptions): AccumulateOptions {
  return { ...(order && { order }), ...(accumulate && { accumulate }) }
}

/** Computes on float tensors cast to the internal dtype, and rounds the result once to the dtype of the first. */
export function inside<D extends DType>(
  op: string,
  [first, ...others]: readonly [Tensor<D>, ...Tensor[]],
  internal: FloatDType | undefined,
  compute: (...tensors: Tensor[]) => Tensor,
): Tensor<D> {
  if (internal !== undefined) checkFloatDType(op, 'internal', internal)
  const dtype = internal ?? first.dtype
  return cast(compute(...[first, ...others].map((x: Tensor) => cast(x, dtype))), first.dtype)
}

/** Throws unless every tensor is of one floating-point dtype and shape. */
export function checkAlike(op: string, first: Tensor, others: Readonly<Record<string, Tensor>>): void {
  checkFloat(op, first)
  for (const [name, x] of Object.entries(others)) {
    checkTensor(op, x)
    if (x.dtype !== first.dtype) {
      throw new TypeError(`${op}: dtypes differ, cast one of them [${first.dtype} and ${x.dtype}]`)
    }
    checkShape(op, name, x, first)
  }
}

/** Throws a RangeError unless a tensor has the shape of another. */
export function checkShape(op: string, name: string, x: Tensor, like: Tensor): void {
  if (!sameShape(x.shape, like.shape)) {
    throw new RangeError(
      `${op}: the ${name} have another shape [${like.shape.join(', ')} and ${x.shape.join(', ')}]`,
    )
  }
}

/** Throws a TypeError unless the elements are floating-point numbers. */
export function checkFloat(op: string, x: Tensor): void {
  checkTensor(op, x)
  if (!isFloat(x.dtype)) throw new TypeError(`${op}: needs a floating-point dtype, cast first [${x.dtype}]`)
}

/** The labels, checked to be classes, one for each lane along the axis (from 0) of the scores. */
export function classesOf(op: string, scores: Tensor, labels: Tensor, axis: number): Tensor<'int32'> {
  checkTensor(op, labels)
  if (labels.dtype !== 'int32' && labels.dtype !== 'uint32') {
    throw new TypeError(`${op}: the labels are not int32 or uint32 [${labels.dtype}]`)
  }
  const lanes = scores.shape.filter((_, i) => i !== axis)
  if (!sameShape(labels.shape, lanes)) {
    throw new RangeError(
      `${op}: the labels do not fit the scores without axis ${axis} [${labels.shape.join(', ')} and ${scores.shape.join(', ')}]`,
    )
  }
  const length = scores.shape[axis]!
  if (isSealed(labels)) {
    // Not known yet: refused where they are read, which takes negative ones to count from the end.
    const classes = cast(labels, 'int32')
    return where(less(classes, 0), length, classes)
  }
  const outside = labels.toNumbers().find((label) => label < 0 || label >= length)
  if (outside !== undefined) throw new RangeError(`${op}: a label is outside ${length} classes [${outside}]`)
  return cast(labels, 'int32')
}
