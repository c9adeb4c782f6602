import { weak } from './create.js'
import type { DType } from './dtype.js'
import { type Shape, sameShape } from './shape.js'
import { type Op, Tensor } from './tensor.js'

/** Where an operation writes instead of allocating: same dtype and shape as its result. It may be an input. */
export interface OutOption<D extends DType = DType> {
  readonly out?: Tensor<D>
}

/**
 * Runs one operation: the single path that every tensor operation takes. If an input carries a trace, so does the
 * result; otherwise nothing is recorded and nothing is paid.
 */
export function apply<A>(op: Op<A>, inputs: readonly Tensor[], attributes: A, out?: Tensor): Tensor {
  const traced = inputs.some((input) => input.trace !== undefined)
  if (traced && out)
    throw new RangeError(`${op.name}: out cannot be recorded, leave it off under a gradient [out]`)
  const result = op.kernel(inputs, attributes, out)
  if (!traced) return result
  return new Tensor(result.dtype, result.shape, result.data, { op: op as Op, inputs, attributes })
}

/** The operands of an operation as tensors of one dtype: numbers take the dtype of the tensors beside them. */
export function operands(op: string, values: readonly (Tensor | number)[]): Tensor[] {
  const first = values.find((value) => value instanceof Tensor)
  if (!first) throw new TypeError(`${op}: needs a tensor among its operands [${values.join(', ')}]`)
  return values.map((value) => {
    if (!(value instanceof Tensor)) return weak(op, value, first.dtype)
    if (value.dtype !== first.dtype)
      throw new TypeError(`${op}: dtypes differ, cast one of them [${first.dtype} and ${value.dtype}]`)
    return value
  })
}

/** Throws unless `out`, when given, has this dtype and shape. */
export function checkOut(op: string, out: Tensor | undefined, dtype: DType, shape: Shape): void {
  if (!out) return
  if (out.dtype !== dtype) throw new TypeError(`${op}: out has another dtype [${out.dtype}, not ${dtype}]`)
  if (!sameShape(out.shape, shape))
    throw new RangeError(`${op}: out has another shape [${out.shape.join(', ')}, not ${shape.join(', ')}]`)
}
