import {
  attention,
  causalMask,
  errorBound,
  type FlashFormName,
  flashAttention,
} from '../../../models/kernels/index.js'
import { abs, cast, type FloatDType, reshape, type Tensor, tensor } from '../../../tensors/tensor/index.js'
import type { KernelCase, KernelWay } from './kernelRow.js'

const [d, queries] = [64, 32]

/** Attention of the last 32 positions to all keys before them: what an output is off depends on the keys, not on the queries. */
export const attentionCase: KernelCase = {
  name: 'attention',
  title: 'Attention',
  about:
    'Causal attention of one head of 64 at the last 32 positions, against float64 over whole rows. flash2, splash and pallas keep a tile in float32; bfloat16 rounds its state after every step; whole row is the naive way, op by op in the dtype.',
  lengthName: 'keys',
  trial: ({ input, length, dtype, blocks }) => {
    const tq = Math.min(queries, length)
    const of = (what: 'q' | 'k' | 'v', rows: number): Tensor<FloatDType> => {
      const all = input.numbers(what, length, d).subarray((length - rows) * d)
      return cast(tensor(all, { shape: [1, rows, d], dtype: 'float64' }), dtype)
    }
    const [q, k, v] = [of('q', tq), of('k', length), of('v', length)]
    const mask = causalMask({ offset: length - tq })
    const wide = (x: Tensor): Tensor<'float64'> => cast(x, 'float64')
    const exact = attention(wide(q), wide(k), wide(v), { mask }).out
    const data = {
      logitSum: largestLogitSum(q, k),
      weighted: largest(attention(wide(q), wide(k), abs(wide(v)), { mask }).out),
      maxValue: largest(abs(v)),
    }
    const forms: readonly FlashFormName[] =
      dtype === 'bfloat16' ? ['flash2', 'splash', 'pallas', 'bfloat16'] : ['flash2', 'splash', 'pallas']
    const flash = blocks.flatMap((block) =>
      forms.map(
        (form): KernelWay => ({
          name: form,
          block,
          compute: () => flashAttention(q, k, v, { form, mask, blockK: block }).out,
          bound: () => errorBound('attention', { dtype, d, tk: length, blockK: block, form }, data),
        }),
      ),
    )
    const whole: KernelWay = {
      name: 'whole row',
      compute: () => attention(q, k, v, { mask, internal: dtype }).out,
    }
    return { reference: Float64Array.from(exact.toNumbers()), ways: [...flash, whole] }
  },
}

function largest(x: Tensor): number {
  return x.toNumbers().reduce((most, y) => Math.max(most, y), 0)
}

/** The largest sum |q k| / sqrt(d) of a pair. */
function largestLogitSum(q: Tensor, k: Tensor): number {
  const [a, b] = [abs(q).toNumbers(), abs(reshape(k, [k.size])).toNumbers()]
  let most = 0
  for (let i = 0; i < a.length; i += d) {
    for (let j = 0; j < b.length; j += d) {
      let total = 0
      for (let e = 0; e < d; e++) total += a[i + e]! * b[j + e]!
      if (total > most) most = total
    }
  }
  return most / Math.sqrt(d)
}
