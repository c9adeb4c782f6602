import {
  applyRope,
  assignExperts,
  blockScaledMatmul,
  combine,
  defineKernel,
  dispatch,
  fp8Matmul,
  fuse,
  gemm,
  layerNorm,
  rmsNorm,
  ropeCache,
  ropeFrequencies,
  route,
} from 'tpu-toolkit/kernels'
import { shadow } from 'tpu-toolkit/precision'
import { cast, mul, square, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const numbers = (length: number, step: number): number[] =>
  Array.from({ length }, (_, i) => Math.sin(step * (i + 1)))
const w = tensor(numbers(16, 0.7), { shape: [4, 4] })
const cache = ropeCache(ropeFrequencies({ dim: 4 }), [3, 9])
const gate = defineKernel({
  name: 'gate',
  forward: ([x]) => square(x!),
  gradient: ({ g, inputs: [x] }) => [mul(g, mul(x!, 2))],
  samples: [{ inputs: [tensor([1.5])], attributes: undefined }],
})

/** Functions of x [2, 4] in float32. */
const functions: Readonly<Record<string, (x: Tensor<'float32'>) => Tensor>> = {
  gemm: (x) => gemm(x, w, { precision: 'high' }),
  'gemm to bfloat16': (x) => gemm(x, w, { dtype: 'bfloat16', blockK: 2, between: 'bfloat16' }),
  fp8Matmul: (x) => fp8Matmul(x, w, { scales: { a: 100, b: 100 } }),
  blockScaledMatmul: (x) => blockScaledMatmul(x, w, { block: 2, dtype: 'bfloat16' }),
  applyRope: (x) => applyRope(cast(x, 'bfloat16'), cache),
  'layerNorm, two passes': (x) => layerNorm(cast(x, 'bfloat16')),
  'layerNorm, Welford': (x) => layerNorm(cast(x, 'bfloat16'), { variance: 'welford' }),
  rmsNorm: (x) => rmsNorm(cast(x, 'bfloat16'), { scaling: 'cast-first' }),
  fuse: (x) => fuse((v: Tensor) => square(v))(cast(x, 'bfloat16')),
  experts: (x) => {
    const { experts, weights } = route(x, { k: 2 })
    const places = assignExperts(experts, { experts: 4, capacity: 1 })
    return combine(dispatch(x, places), places, weights)
  },
  'a kernel of its own': (x) => gate.run([x], undefined),
}

describe('the precision doctor on kernels', () => {
  const x = tensor(numbers(8, 1.1), { shape: [2, 4] })
  it.each(Object.entries(functions))('shadow of %s runs beside it in float64', (_, f) => {
    const [found] = shadow(f, x).outputs()
    // In bits of the result's dtype.
    expect(found?.max).toBeLessThan(24)
  })

  it('the shadow of gemm is the product itself: what it finds is what the parts leave out', () => {
    const lost = (precision: 'default' | 'high' | 'highest'): number =>
      shadow((v: Tensor<'float32'>) => gemm(v, w, { precision }), x).outputs()[0]?.max ?? 0
    // In bits: 8 of 24 are kept in one pass, about 16 in three, all but those of the sums in six.
    expect(lost('default')).toBeGreaterThan(lost('high') + 4)
    expect(lost('high')).toBeGreaterThan(lost('highest') + 4)
    expect(lost('highest')).toBeLessThan(5)
  })
})
