import { grad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { multiclassHingeLoss, softmaxCrossEntropyWithIntegerLabels } from 'tpu-toolkit/losses'
import { key as keyOf, normal } from 'tpu-toolkit/random'
import { cast, sum, type Tensor, takeAlongAxis, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const logits = cast(tensor(normal(keyOf(0), 20), { shape: [4, 5] }), 'bfloat16')
const labels = (...classes: number[]): Tensor<'int32'> => tensor(classes, { dtype: 'int32' })

describe('labels that a compiled function is given', () => {
  it('give the bits of the losses, gradients too, also when they change', () => {
    for (const loss of [softmaxCrossEntropyWithIntegerLabels, multiclassHingeLoss]) {
      const compiled = compile((x: typeof logits, y: Tensor<'int32'>) => loss(x, y))
      const slope = grad((x: typeof logits, y: Tensor<'int32'>) => sum(loss(x, y)))
      const compiledSlope = compile(slope)
      for (const y of [labels(0, 4, 2, 2), labels(3, 3, 0, 1)]) {
        expect(compiled(logits, y).toBits()).toEqual(loss(logits, y).toBits())
        expect(compiledSlope(logits, y).toBits()).toEqual(slope(logits, y).toBits())
      }
    }
  })

  it('are refused where they are no class', () => {
    const compiled = compile((y: Tensor<'int32'>) => softmaxCrossEntropyWithIntegerLabels(logits, y))
    compiled(labels(0, 1, 2, 3))
    for (const wrong of [-1, 5]) expect(() => compiled(labels(0, wrong, 0, 0))).toThrow(RangeError)
  })

  it('as indices of takeAlongAxis count from the end where they are negative, in int32', () => {
    const x = tensor([
      [1, 2, 3],
      [4, 5, 6],
    ])
    const read = compile((at: Tensor<'int32'>) => takeAlongAxis(x, at))
    expect(
      read(
        tensor(
          [
            [-1, 0],
            [1, -3],
          ],
          { dtype: 'int32' },
        ),
      ).toNested(),
    ).toEqual([
      [3, 1],
      [5, 4],
    ])
    for (const wrong of [3, -4]) {
      expect(() =>
        read(
          tensor(
            [
              [wrong, 0],
              [1, 0],
            ],
            { dtype: 'int32' },
          ),
        ),
      ).toThrow(RangeError)
    }
    const unsigned = compile((at: Tensor<'uint32'>) => takeAlongAxis(x, at))
    expect(unsigned(tensor([[2], [0]], { dtype: 'uint32' })).toNested()).toEqual([[3], [4]])
    expect(() => unsigned(tensor([[2 ** 32 - 1], [0]], { dtype: 'uint32' }))).toThrow(RangeError)
  })
})
