import { attention, errorBound, type FlashFormName, flashAttention } from 'tpu-toolkit/kernels'
import { drift } from 'tpu-toolkit/numerics'
import { foldIn, key, normal } from 'tpu-toolkit/random'
import {
  abs,
  cast,
  type FloatDType,
  matmul,
  matrixTranspose,
  max,
  mul,
  type Tensor,
} from 'tpu-toolkit/tensor'
import type { ErrorsAsked, FormError, FormRun, OperandDType } from './attentionMessages.js'

/** The length of a head. */
export const headLength = 64
const sizes = [16, 32, 64, 128, 256, 512]

/** The errors of every form at every block size, one form after the other; whole rows last. */
export function* errorsOf({ mask, tokens, dtype, factor, seed }: ErrorsAsked): Generator<FormRun> {
  const [q, k, v] = operands(tokens, dtype, factor, seed)
  const [wideQ, wideK, wideV] = [q, k, v].map((x) => cast(x, 'float64')) as Operands
  const exact = attention(wideQ, wideK, wideV, { mask }).out
  const logits = matmul(abs(wideQ), matrixTranspose(abs(wideK)))
  const data = {
    logitSum: max(logits).item() / Math.sqrt(headLength),
    weighted: max(attention(wideQ, wideK, abs(wideV), { mask }).out).item(),
    maxValue: max(abs(wideV)).item(),
  }
  const forms: readonly FlashFormName[] =
    dtype === 'bfloat16' ? ['flash2', 'splash', 'pallas', 'bfloat16'] : ['flash2', 'splash', 'pallas']
  for (const form of forms) {
    const errors = sizes
      .filter((size) => size <= tokens)
      .map((size) => {
        const { out } = flashAttention(q, k, v, { mask, form, blockQ: size, blockK: size })
        const { bound } = errorBound(
          'attention',
          { dtype, d: headLength, tk: tokens, blockK: size, form },
          data,
        )
        return errorOf(out, exact, size, bound)
      })
    yield { form, errors }
  }
  const wide = attention(q, k, v, { mask, internal: 'float32' }).out
  const whole = errorBound('attention', { dtype, d: headLength, tk: tokens, blockK: tokens }, data)
  yield { form: 'whole, float32 inside', errors: [errorOf(wide, exact, tokens, whole.bound)] }
  if (dtype === 'float32') return
  const naive = attention(q, k, v, { mask }).out
  yield { form: 'whole, op by op', errors: [errorOf(naive, exact, tokens, Number.NaN)] }
}

type Operands = [Tensor<FloatDType>, Tensor<FloatDType>, Tensor<FloatDType>]

/** Queries, keys and values of one head, standard normal, queries times the factor. */
function operands(tokens: number, dtype: OperandDType, factor: number, seed: number): Operands {
  const drawn = (stream: number): Tensor => normal(foldIn(key(seed), stream), [1, tokens, headLength])
  return [cast(mul(drawn(0), factor), dtype), cast(drawn(1), dtype), cast(drawn(2), dtype)]
}

function errorOf(out: Tensor<FloatDType>, exact: Tensor<FloatDType>, size: number, bound: number): FormError {
  const { rms, maxAbs } = drift(out, exact)
  return { size, rms, most: maxAbs, bound }
}
