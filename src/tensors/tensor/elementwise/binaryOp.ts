import { apply, checkOut, type OutOption, operands } from '../storage/apply.js'
import { walk } from '../storage/broadcast.js'
import { checkOutOption } from '../storage/checkCall.js'
import { allocate, type DType, elementsIn } from '../storage/dtype.js'
import { canonicalizeNaN } from '../storage/nan.js'
import type { Rounds } from '../storage/op.js'
import { broadcastShapes, sizeOf } from '../storage/shape.js'
import { type KnownOp, Tensor } from '../storage/tensor.js'
import type { Loop } from './loops.js'

/** The record of an operation of two operands: `loopFor` gives the loop of a dtype, or throws where there is none. */
export function binaryOp(
  name: string,
  rounds: Rounds,
  loopFor: (dtype: DType) => Loop,
  canonicalFloat32 = false,
): KnownOp {
  const loops = new Map<DType, Loop>()
  const kernel = (inputs: readonly Tensor[], _: unknown, out?: Tensor): Tensor => {
    const [a, b] = inputs as [Tensor, Tensor]
    const { dtype } = a
    const shape = broadcastShapes(name, a.shape, b.shape)
    checkOut(name, out, dtype, shape)
    const loop = loops.get(dtype) ?? loopFor(dtype)
    loops.set(dtype, loop)
    const data = out ? out.data : allocate(dtype, sizeOf(shape))
    const [x, y, to] = [elementsIn(a.data), elementsIn(b.data), elementsIn(data)]
    const { run, steps, offsets } = walk([a.shape, b.shape], shape)
    const [aStarts, bStarts] = offsets as [Int32Array, Int32Array]
    for (let k = 0; k < aStarts.length; k++) {
      loop(x, aStarts[k]!, steps[0]!, y, bStarts[k]!, steps[1]!, to, k * run, run)
    }
    if (dtype !== 'float32' || !canonicalFloat32) canonicalizeNaN(data)
    return out ?? new Tensor(dtype, shape, data)
  }
  return { name, form: 'elementwise', rounds, kernel }
}

/**
 * An elementwise function of two operands of one dtype; a number takes the dtype of the tensor beside it.
 *
 * Shape     broadcast of both. Dtype both alike, mixed ones do not compile; the result has it too. Integers wrap. A bigint is a
 *           number beside int64 and uint64.
 * Rounding  once, to the dtype.
 */
export interface Binary {
  // Two parameters for one dtype: with a single one, operands of two dtypes would be taken for a union of both. Where one
  // side's dtype is known less exactly, it is that of the other.
  <D extends DType, E extends D = D, O extends E = E>(
    a: Tensor<D> | number | bigint,
    b: Tensor<E> | number | bigint,
    options?: OutOption<O>,
  ): Tensor<E>
  <D extends DType, E extends D = D, O extends E = E>(
    a: Tensor<E> | number | bigint,
    b: Tensor<D> | number | bigint,
    options?: OutOption<O>,
  ): Tensor<E>
}

/** The function of tensors and numbers that an operation of two operands is. */
export function namedBinary(op: KnownOp): Binary {
  const of = <D extends DType>(
    a: Tensor<D> | number | bigint,
    b: Tensor<D> | number | bigint,
    options?: OutOption<D>,
  ): Tensor<D> => {
    checkOutOption(op.name, options)
    return apply(op, operands(op.name, [a, b]), undefined, options?.out) as Tensor<D>
  }
  return Object.defineProperty(of, 'name', { value: op.name })
}
