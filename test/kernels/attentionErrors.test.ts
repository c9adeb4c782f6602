import { attention, attentionGrad, causalMask, flashAttention } from 'tpu-toolkit/kernels'
import { type FloatDType, type Tensor, zeros } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

describe('flashAttention, what is refused', () => {
  const of = (shape: readonly number[], dtype: FloatDType = 'float32'): Tensor<FloatDType> =>
    zeros(shape, { dtype }) as Tensor<FloatDType>
  const [q, k] = [of([4, 5, 8]), of([2, 6, 8])]
  const wrong: readonly (readonly [() => unknown, string])[] = [
    [
      () => flashAttention(of([3, 5, 8]), k, k),
      'flashAttention: heads of queries are no multiple of those of keys [3 and 2]',
    ],
    [
      () => flashAttention(q, k, k, { blockQ: 0 }),
      'flashAttention: blockQ is not a whole number, 1 or more [0]',
    ],
    [
      () => flashAttention(q, k, k, { blockK: 1.5 }),
      'flashAttention: blockK is not a whole number, 1 or more [1.5]',
    ],
    [
      () => flashAttention(q, k, k, { mask: zeros([5, 5], { dtype: 'bool' }) }),
      'flashAttention: mask has another shape [5, 5, not 5, 6]',
    ],
    [
      () => flashAttention(q, k, of([2, 6, 8], 'bfloat16')),
      'flashAttention: dtypes differ, cast one of them [float32 and bfloat16]',
    ],
    [
      () => flashAttention(q, of([2, 6, 7]), k),
      'flashAttention: queries and keys have other lengths [8 and 7]',
    ],
    [
      () => flashAttention(q, k, of([2, 7, 8])),
      'flashAttention: there are not as many values as keys [7 and 6]',
    ],
    [
      () => flashAttention(q, k, of([1, 6, 8])),
      'flashAttention: keys and values differ in heads [2, 6, 8 and 1, 6, 8]',
    ],
    [
      () => flashAttention(of([1, 4, 5, 8]), k, k),
      'flashAttention: queries and keys differ in batch [1, 4, 5, 8 and 2, 6, 8]',
    ],
    [
      () => flashAttention(q, k, k, { segments: { q: [1], kv: [1] } }),
      'flashAttention: segments.q has another length [1, not 5]',
    ],
    [
      () => flashAttention(q, k, k, { form: 'pallas', softCap: 5 }),
      'flashAttention: form pallas has no softCap [5]',
    ],
    [
      () => flashAttention(q, k, k, { form: 'splash', ties: 7 }),
      'flashAttention: form splash has no ties [7]',
    ],
    [
      () => flashAttention(q, k, k, { form: 'bfloat16' }),
      'flashAttention: form bfloat16 has bfloat16 throughout [float32, probabilities float32]',
    ],
    [
      () => flashAttention(q, k, k, { form: 'flash3' as never }),
      'flashAttention: unknown form, did you mean flash2 [flash3]',
    ],
    [() => flashAttention(q, k, k, { softCap: 0 }), 'flashAttention: softCap is not above 0 [0]'],
    [
      () => flashAttention(of([4, 5, 8], 'float64'), of([2, 6, 8], 'float64'), of([2, 6, 8], 'float64')),
      "flashAttention: a tile's state is float32, cast to float32 or use attention [float64]",
    ],
    [() => attentionGrad(q, k, k, k), 'attentionGrad: cotangent has another shape [2, 6, 8, not 4, 5, 8]'],
    [
      () =>
        attention(
          of([1, 2, 2], 'float8_e4m3fn'),
          of([1, 2, 2], 'float8_e4m3fn'),
          of([1, 2, 2], 'float8_e4m3fn'),
          { mask: causalMask() },
        ),
      'attention: masked logits need infinities, take a wider internal [float8_e4m3fn]',
    ],
  ]
  it.each(wrong.map(([f, says]) => [says, f] as const))('%s', (says, f) => {
    expect(f).toThrow(says)
  })
})
