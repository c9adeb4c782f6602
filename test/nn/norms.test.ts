import * as kernels from 'tpu-toolkit/kernels'
import * as nn from 'tpu-toolkit/nn'
import { key as keyOf, normal } from 'tpu-toolkit/random'
import { cast, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const x = tensor(normal(keyOf(1), 24), { shape: [4, 6] })
const scale = tensor(normal(keyOf(2), 6))
const bias = tensor(normal(keyOf(3), 6))

describe('layerNorm and rmsNorm', () => {
  it('are the kernels of these names, in the dtypes of the policy', () => {
    for (const variance of ['two-pass', 'fast', 'welford'] as const) {
      const layer = nn.layerNorm({ features: 6, variance })
      expect(layer.apply({ scale, bias }, x).toBits()).toEqual(
        kernels.layerNorm(x, { scale, bias, variance }).toBits(),
      )
    }
    const narrow = nn.rmsNorm({ features: 6, scaling: 'cast-first', policy: { params: 'bfloat16' } })
    const low = cast(x, 'bfloat16')
    const weights = cast(scale, 'bfloat16')
    expect(narrow.apply({ scale: weights }, low).toBits()).toEqual(
      kernels.rmsNorm(low, { scale: weights, scaling: 'cast-first' }).toBits(),
    )
  })

  it('round once to a wider output', () => {
    const policy = { params: 'float32', compute: 'bfloat16', output: 'float32' } as const
    const layer = nn.rmsNorm({ features: 6, policy })
    const wide = (values: typeof x) => cast(cast(values, 'bfloat16'), 'float32')
    expect(layer.apply({ scale }, x).toBits()).toEqual(
      kernels.rmsNorm(wide(x), { scale: wide(scale as never) as never }).toBits(),
    )
  })

  it('begin as the norm without parameters', () => {
    for (const scaling of ['fused', 'cast-first', 'one-plus'] as const) {
      const layer = nn.rmsNorm({ features: 6, scaling })
      expect(layer.apply(layer.init(keyOf(0)), x).toBits()).toEqual(kernels.rmsNorm(x).toBits())
    }
    const layer = nn.layerNorm({ features: 6 })
    expect(layer.apply(layer.init(keyOf(0)), x).toBits()).toEqual(kernels.layerNorm(x).toBits())
    expect(Object.keys(nn.layerNorm({ features: 6, bias: false }).init(keyOf(0)))).toEqual(['scale'])
  })
})
