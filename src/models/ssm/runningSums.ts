import { checkRecord } from '../../base/options/index.js'
import { cast, checkTensor, cumsum, type FloatDType, type Tensor } from '../../tensors/tensor/index.js'
import { cumsums, type RunningSum } from './cumsums.js'
import { checkForm, type SsmOptions } from './inputs.js'
import { widenedSums } from './stages.js'

/** The choice of an option as order and accumulator; float64 steps are never added in less. */
function runningSum(op: string, dtype: FloatDType, { cumsum = 'sequential' }: SsmOptions): RunningSum {
  const choice = typeof cumsum === 'string' ? cumsums[cumsum] : cumsum
  if (!choice) throw new RangeError(`${op}: unknown cumsum [${String(cumsum)}]`)
  checkRecord(op, 'cumsum', choice)
  return dtype === 'float64' && choice.accumulate !== undefined
    ? { ...choice, accumulate: 'float64' }
    : choice
}

/** The dtypes of sums and exponents. */
export function sumDTypes(
  op: string,
  dtype: FloatDType,
  options: SsmOptions,
): { how: RunningSum; sums: FloatDType; exponents: FloatDType } {
  const how = runningSum(op, dtype, options)
  const kept = how.keep ? (how.accumulate ?? dtype) : dtype
  const sums = options.dtypes?.sums ?? kept
  return { how, sums, exponents: options.dtypes?.exponents ?? sums }
}

/** The running sums of x along an axis, in the dtype of the sums. */
export function sumsOf(x: Tensor, axis: number, how: RunningSum, sums: FloatDType): Tensor {
  const { order = 'sequential', accumulate = x.dtype as FloatDType } = how
  if (sums === x.dtype) return cumsum(x, { axis, order, accumulate })
  if (sums === accumulate) return widenedSums(x, axis, order, sums)
  return cast(cumsum(cast(x, accumulate), { axis, order }), sums)
}

/**
 * The running sums of steps along the last axis as the forms with `cumsum` take them, and what each addition rounds to.
 *
 * @example runningSums(tensor([255, 1, 1], { dtype: 'bfloat16' })).sums.toNested() // [255,256,256]
 * runningSums(tensor([255, 1, 1], { dtype: 'bfloat16' }), { cumsum: 'stable' }).sums.toNested() // [255,256,256]
 * runningSums(tensor([255, 1, 1], { dtype: 'bfloat16' }), { cumsum: 'stable' }).accumulate // float32
 */
export function runningSums(
  dt: Tensor,
  options: SsmOptions = {},
): { readonly sums: Tensor; readonly accumulate: FloatDType } {
  checkTensor('runningSums', dt)
  checkForm('runningSums', options)
  const dtype = dt.dtype as FloatDType
  const { how, sums } = sumDTypes('runningSums', dtype, options)
  return { sums: sumsOf(dt, dt.rank - 1, how, sums), accumulate: how.accumulate ?? dtype }
}
