import { apply, checkTensor, type KnownOp, sameShape, type Tensor } from '../../../tensors/tensor/index.js'

/** The second operand's elements; the gradient goes to the first as it comes. */
const straightThroughOp: KnownOp = {
  name: 'straightThrough',
  form: 'elementwise',
  rounds: 'never',
  kernel: ([, code]) => code!,
  gradient: ({ g }) => [g, undefined],
}

/** Throws unless vectors and the codes for them are alike. */
export function checkPair(op: string, x: unknown, code: unknown): void {
  checkTensor(op, x)
  checkTensor(op, code)
  if (x.dtype !== code.dtype) {
    throw new TypeError(`${op}: dtypes differ, cast one of them [${x.dtype} and ${code.dtype}]`)
  }
  if (!sameShape(x.shape, code.shape)) {
    throw new RangeError(`${op}: shapes differ [${x.shape.join(', ')}] and [${code.shape.join(', ')}]`)
  }
}

/**
 * The codes' vectors, with the gradient of x: what x + stopGradient(code - x) is meant to be. That sum rounds, so it is not the
 * code: in any float a quarter of the elements differ where code and x are of like size.
 *
 * Shape     both alike.
 * Dtype     both alike.
 * Rounding  none: the elements of `code`, bit for bit.
 * Gradient  to x as it comes; none to the code.
 * Throws    TypeError for dtypes that differ, RangeError for shapes.
 * Source    Bengio, Leonard, Courville, arXiv 1308.3432
 *
 * @example straightThrough(tensor([0.2, 0.9]), tensor([0, 1])).toNested() // [0, 1]
 */
export function straightThrough<D extends Tensor['dtype']>(x: Tensor<D>, code: Tensor<D>): Tensor<D> {
  checkPair('straightThrough', x, code)
  return apply(straightThroughOp, [x, code], undefined) as Tensor<D>
}
