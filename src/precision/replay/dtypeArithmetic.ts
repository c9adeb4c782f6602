import { cast, type FloatDType, isFloat, ops, type Tensor } from '../../tensors/tensor/index.js'
import { unroundedConstant } from '../program/constantOf.js'
import type { Step } from '../program/program.js'
import type { WideArithmetic } from './wideArithmetic.js'

/**
 * Real numbers as tensors of a wider dtype, by the operations' own kernels: fast, and in float64 right to 2^-53 for each
 * operation. Integers and bools stay what they are.
 */
export function dtypeArithmetic(dtype: FloatDType): WideArithmetic<Tensor> {
  return {
    widen: (x) => (isFloat(x.dtype) ? cast(x, dtype) : x),
    run: (step, args) => runWidened(step, args, dtype),
    narrow: (x, own) => (isFloat(x.dtype) ? cast(x, own) : x),
    toFloat64: (x) => (isFloat(x.dtype) ? cast(x, 'float64') : x) as Tensor<'float64'>,
  }
}

/** Runs a step's kernel on wider operands, sums accumulated in `accumulate`; undefined leaves that as it was recorded. */
export function runWidened(
  { op, attributes, output }: Pick<Step, 'op' | 'attributes' | 'output'>,
  args: readonly Tensor[],
  accumulate: FloatDType | undefined,
): Tensor {
  const constant = unroundedConstant({ op, attributes })
  if (constant) return cast(constant, accumulate ?? output.dtype)
  if (op === ops.cast && isFloat(output.dtype)) {
    const [x] = args as [Tensor]
    return isFloat(x.dtype) ? x : cast(x, accumulate ?? 'float64')
  }
  if (op.exact && accumulate === 'float64') return op.exact(args, attributes)
  return op.kernel(args, accumulate ? accumulatingIn(attributes, accumulate) : attributes)
}

/** The attributes of a reduction with another accumulation dtype; others as they are. */
export function accumulatingIn(attributes: unknown, dtype: FloatDType): unknown {
  if (typeof attributes !== 'object' || attributes === null) return attributes
  const record = attributes as Readonly<Record<string, unknown>>
  if (typeof record['accumulate'] === 'string') {
    return isFloat(record['accumulate'] as FloatDType) ? { ...record, accumulate: dtype } : record
  }
  if ('how' in record) return { ...record, how: accumulatingIn(record['how'], dtype) }
  return record
}
