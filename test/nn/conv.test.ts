import { readFileSync } from 'node:fs'
import { checkGrads } from 'tpu-toolkit/autodiff'
import * as nn from 'tpu-toolkit/nn'
import { key as keyOf, normal } from 'tpu-toolkit/random'
import { cast, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

interface Row {
  readonly lengths: readonly number[]
  readonly kernel: readonly number[]
  readonly inputs: number
  readonly outputs: number
  readonly stride: readonly number[]
  readonly dilation: readonly number[]
  readonly padding: nn.Padding
  readonly groups: number
  readonly shape: readonly number[]
  readonly values: readonly number[]
}

const { convolutions }: { readonly convolutions: readonly Row[] } = JSON.parse(
  readFileSync(new URL('../golden/nn/nn.json', import.meta.url), 'utf8'),
)

/** The formula of scripts/golden/nn.py: small whole numbers. */
function numbers(shape: readonly number[], a: number, b: number): Tensor<'float32'> {
  const n = shape.reduce((size, length) => size * length, 1)
  return tensor(
    Array.from({ length: n }, (_, i) => ((a * i + b) % 13) - 6),
    { shape: [...shape] },
  )
}

describe('conv', () => {
  it.each(['same', 'valid', 'circular', 'causal'] as const)(
    'padded %s gives the sums of jax.lax.conv_general_dilated, for every stride, dilation and group',
    (padding) => {
      for (const row of convolutions.filter((one) => one.padding === padding)) {
        const { lengths, kernel, inputs, outputs, stride, dilation, groups } = row
        const layer = nn.conv({ kernel, inputs, outputs, stride, dilation, groups, padding, bias: false })
        const weight = numbers([...kernel, inputs / groups, outputs], 7, 2)
        const y = layer.apply({ weight }, numbers([2, ...lengths, inputs], 5, 1))
        expect(y.shape).toEqual(row.shape)
        expect(Array.from(y.toNumbers(), Math.round)).toEqual(row.values)
      }
    },
  )

  it('gives a depthwise kernel the bits of a product for each group', () => {
    const x = cast(tensor(normal(keyOf(1), 2 * 9 * 4), { shape: [2, 9, 4] }), 'bfloat16')
    const policy = { params: 'bfloat16' } as const
    const depthwise = nn.conv({ kernel: [3], inputs: 4, outputs: 4, groups: 4, bias: false, policy })
    const one = nn.conv({ kernel: [3], inputs: 1, outputs: 1, bias: false, policy })
    const { weight } = depthwise.init(keyOf(2))
    const each = [0, 1, 2, 3].map((channel) => {
      const pick = (values: Tensor) =>
        tensor(
          values.toNumbers().filter((_, i) => i % 4 === channel),
          { shape: [...values.shape.slice(0, -1), 1], dtype: 'bfloat16' },
        )
      return one.apply({ weight: pick(weight) }, pick(x)).toBits()
    })
    const together = depthwise.apply({ weight }, x).toBits()
    together.forEach((code, i) => {
      expect(code).toBe(each[i % 4]![Math.floor(i / 4)])
    })
  })

  it('has gradients equal to differences', () => {
    for (const [groups, padding] of [
      [1, 'same'],
      [2, 'circular'],
      [4, 'causal'],
    ] as const) {
      const policy = { params: 'float64' } as const
      const layer = nn.conv({ kernel: [3], inputs: 4, outputs: 4, stride: 2, groups, padding, policy })
      const x = tensor(normal(keyOf(3), 20), { shape: [5, 4], dtype: 'float64' })
      const params = layer.init(keyOf(4))
      expect(() => checkGrads((p: typeof params) => sum(layer.apply(p, x)), [params])).not.toThrow()
    }
  })

  it('takes an axis of length 0', () => {
    const layer = nn.conv({ kernel: [3], inputs: 2, outputs: 3 })
    for (const padding of ['same', 'valid', 'circular', 'causal'] as const) {
      const empty = nn.conv({ kernel: [3], inputs: 2, outputs: 3, padding })
      expect(empty.apply(layer.init(keyOf(0)), tensor([], { shape: [1, 0, 2] })).shape).toEqual([1, 0, 3])
    }
  })

  it('says what is wrong', () => {
    expect(() => nn.conv({ kernel: [3], inputs: 4, outputs: 6, groups: 4 })).toThrow(
      new RangeError('conv: groups do not divide the channels [groups 4, inputs 4, outputs 6]'),
    )
    expect(() => nn.conv({ kernel: [3, 3], inputs: 1, outputs: 1, stride: [1] })).toThrow(
      new RangeError('conv: stride is not one for each of 2 axes [1]'),
    )
    expect(() => nn.conv({ kernel: [], inputs: 1, outputs: 1 })).toThrow(RangeError)
    expect(() => nn.conv({ kernel: [0], inputs: 1, outputs: 1 })).toThrow(
      new RangeError('conv: a kernel length is not a whole number, 1 or more [0]'),
    )
    const layer = nn.conv({ kernel: [3], inputs: 2, outputs: 3 })
    expect(() => layer.apply(layer.init(keyOf(0)), tensor([[1, 2, 3]]))).toThrow(
      new RangeError('conv: the last axis of x has not 2 features [1, 3]'),
    )
  })
})
