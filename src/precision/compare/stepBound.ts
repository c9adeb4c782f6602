import {
  abs,
  cast,
  type DType,
  dtypeFacts,
  type FloatDType,
  formOf,
  isFloat,
  ops,
  roundsOf,
  type Tensor,
} from '../../tensors/tensor/index.js'
import type { Step } from '../program/program.js'
import { dtypeArithmetic, runWidened } from '../replay/dtypeArithmetic.js'

/** What a correct implementation of one operation may give: the exact result, and how far from it. */
export interface StepBound {
  readonly exact: Float64Array
  readonly bounds: Float64Array
}

/** Operations that every backend rounds correctly; two roundings of a fused pair may still differ by an ulp. */
const arithmetic: ReadonlySet<unknown> = new Set([
  ops.add,
  ops.sub,
  ops.mul,
  ops.div,
  ops.sqrt,
  ops.cast,
  ops.square,
])

/** Ulps that vector libraries and hardware units promise of exp, log, tanh and the like: XLA's and CUDA's are within 4 in float32. */
const ulpsOfFunctions = 4

/**
 * The results that any implementation of a step may give of these operands: sums in any order in the step's accumulator, arithmetic within
 * one ulp, functions within a few. Undefined for operations that do not round, which have one result only, and for those that nothing is known of.
 *
 * Source    Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 3.1 (sums and products in any order).
 */
export function stepBound(step: Step, operands: readonly Tensor[]): StepBound | undefined {
  const { op, output } = step
  if (!isFloat(output.dtype) || roundsOf(op) === 'never' || roundsOf(op) === 'decides') return undefined
  const form = formOf(op)
  const wide = operands.map((x) => (isFloat(x.dtype) ? cast(x, 'float64') : x) as Tensor)
  const exact = dtypeArithmetic('float64').run(step, wide).toNumbers()
  if (form === 'elementwise') {
    const ulps = arithmetic.has(op) ? 1 : ulpsOfFunctions
    return { exact, bounds: exact.map((value) => ulps * spacing(value, output.dtype)) }
  }
  if (form === 'reduce' || form === 'scan' || form === 'dot') {
    const sizes = runWidened(
      step,
      wide.map((x) => (isFloat(x.dtype) ? abs(x) : x) as Tensor),
      'float64',
    ).toNumbers()
    const unit = dtypeFacts(accumulatorOf(step)).eps / 2
    const terms = termsOf(step, operands)
    return {
      exact,
      bounds: exact.map(
        (value, i) => (terms + 1) * unit * Math.abs(sizes[i]!) * 1.01 + spacing(value, output.dtype),
      ),
    }
  }
  const own = op.bound?.(operands, step.attributes)
  return own === undefined
    ? undefined
    : { exact, bounds: exact.map((value) => own + spacing(value, output.dtype)) }
}

/** The distance between neighbours of a dtype at a value: an ulp, at least the smallest subnormal. */
function spacing(value: number, dtype: DType): number {
  const { eps, minPositive, minNormal } = dtypeFacts(dtype)
  if (!Number.isFinite(value)) return 0
  const size = Math.abs(value)
  return size < minNormal ? minPositive : 2 ** Math.floor(Math.log2(size)) * eps
}

/** The dtype that a sum or product is accumulated in. */
function accumulatorOf({ attributes, output }: Step): FloatDType {
  const found = accumulateIn(attributes)
  return found ?? (output.dtype === 'float64' ? 'float64' : 'float32')
}

function accumulateIn(attributes: unknown): FloatDType | undefined {
  if (typeof attributes !== 'object' || attributes === null) return undefined
  const record = attributes as Readonly<Record<string, unknown>>
  if (typeof record['accumulate'] === 'string') return record['accumulate'] as FloatDType
  return accumulateIn(record['how'])
}

/** How many terms an element of the result adds up at most. */
function termsOf({ op, output }: Step, operands: readonly Tensor[]): number {
  const [x] = operands
  if (formOf(op) === 'dot') return x!.shape.at(-1) ?? 1
  if (formOf(op) === 'scan') return Math.max(...x!.shape, 1)
  return x!.size / Math.max(output.size, 1)
}
