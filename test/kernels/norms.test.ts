import fc from 'fast-check'
import { checkGrads, grad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import {
  type LayerNormOptions,
  layerNorm,
  type RmsNormOptions,
  rmsNorm,
  type VarianceMethod,
} from 'tpu-toolkit/kernels'
import * as numerics from 'tpu-toolkit/numerics'
import { add, cast, fromBits, mul, ones, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { seed } from '../support/seed.js'

const key = new Columns('kernels/norms')
const cases = key.facts['cases'] as readonly { case: string; rows: number; n: number }[]
const methods: readonly VarianceMethod[] = ['two-pass', 'fast', 'welford']

describe.each(cases)('norms, $case, against an emulation in NumPy', ({ case: name, rows, n }) => {
  const x = fromBits(key.u16(`${name}_x`), { shape: [rows, n], dtype: 'bfloat16' })
  const scale = fromBits(key.u16(`${name}_scale`), { shape: [n], dtype: 'bfloat16' })
  const bias = fromBits(key.u16(`${name}_bias`), { shape: [n], dtype: 'bfloat16' })
  const wide = { x: cast(x, 'float32'), scale: cast(scale, 'float32'), bias: cast(bias, 'float32') }
  const column = (method: string): string => `${name}_layer_${method.replace('-', '_')}`

  it.each(methods)('layerNorm, %s, has its bits before and after the last rounding', (variance) => {
    const { x: v, ...parameters } = wide
    expect(layerNorm(v, { ...parameters, variance }).toBits()).toEqual(key.u32(`${column(variance)}_f32`))
    expect(layerNorm(x, { scale, bias, variance }).toBits()).toEqual(key.u16(column(variance)))
  })

  it('layerNorm inside bfloat16 has the bits of op by op, which is numerics', () => {
    const op = layerNorm(x, { scale, bias, internal: 'bfloat16' })
    expect(op.toBits()).toEqual(key.u16(`${name}_layer_op`))
    expect(op.toBits()).toEqual(
      add(mul(numerics.layerNorm(x, { internal: 'bfloat16' }), scale), bias).toBits(),
    )
  })

  it('rmsNorm has its bits in every place of the scale', () => {
    expect(rmsNorm(wide.x).toBits()).toEqual(key.u32(`${name}_rms_f32`))
    const forms: Readonly<Record<string, RmsNormOptions>> = {
      op: { internal: 'bfloat16' },
      fused: {},
      cast_then_scale: { scaling: 'cast-first' },
      one_plus_scale: { scaling: 'one-plus' },
    }
    for (const [form, options] of Object.entries(forms)) {
      expect(rmsNorm(x, { scale, ...options }).toBits()).toEqual(key.u16(`${name}_rms_${form}`))
    }
  })
})

describe(`norms, properties (seed ${seed})`, () => {
  const row = fc.array(fc.float({ noNaN: true, min: -8, max: 8 }), { minLength: 2, maxLength: 40 })
  it('layerNorm of constants is the bias, unless every step rounds', () => {
    fc.assert(
      fc.property(
        fc.float({ noNaN: true, min: -100, max: 100 }),
        fc.constantFrom(...methods),
        (value, variance) => {
          const x = tensor(new Float64Array(64).fill(value), { dtype: 'bfloat16' })
          expect([
            ...layerNorm(x, { variance, bias: ones([64], { dtype: 'bfloat16' }) }).toNumbers(),
          ]).toEqual(Array.from({ length: 64 }, () => 1))
        },
      ),
      { seed, numRuns: 50 },
    )
  })

  it('the three variances agree in float64 where the mean is small beside the spread', () => {
    fc.assert(
      fc.property(row, (values) => {
        const x = tensor(Float64Array.from([...values, 8, -8]), { dtype: 'float64' })
        const [a, b, c] = methods.map((variance) => layerNorm(x, { variance }).data)
        for (let i = 0; i < a!.length; i++) {
          // n steps of 2^-53 each, times 1 + mean^2 / variance, which is below 2 here; results are below sqrt(n).
          const bound = 16 * (values.length + 8) * 2 ** -53 * Math.sqrt(values.length)
          expect(Math.abs(a![i]! - b![i]!)).toBeLessThanOrEqual(bound)
          expect(Math.abs(a![i]! - c![i]!)).toBeLessThanOrEqual(bound)
        }
      }),
      { seed, numRuns: 100 },
    )
  })

  const x = tensor([0.5, -1, 2, 0.25, 1, -3], { shape: [2, 3] })
  const scale = tensor([1, -2, 0.5])
  const bias = tensor([0.5, 0, 1])
  const weights = tensor([1, 2, -1, 3, 0.5, 1], { shape: [2, 3] })
  it.each(methods)('grad of layerNorm, %s, is that of differences', (variance) => {
    const f = (v: Tensor, s: Tensor, b: Tensor): Tensor => {
      const options = { variance, scale: s, bias: b } as LayerNormOptions
      return sum(mul(layerNorm(v as Tensor<'float64'>, options), cast(weights, 'float64')))
    }
    expect(checkGrads(f, [x, scale, bias])?.error).toBeLessThan(1e-7)
  })

  it.each(['fused', 'one-plus', 'cast-first'] as const)(
    'grad of rmsNorm, %s, is that of differences',
    (scaling) => {
      const f = (v: Tensor, s: Tensor): Tensor =>
        sum(mul(rmsNorm(v as Tensor<'float64'>, { scaling, scale: s }), cast(weights, 'float64')))
      expect(checkGrads(f, [x, scale])?.error).toBeLessThan(1e-7)
    },
  )

  it.each(methods)('layerNorm, %s, compiles to the same bits, its gradient too', (variance) => {
    const f = (v: Tensor<'float32'>): Tensor => sum(mul(layerNorm(v, { variance, scale, bias }), weights))
    expect(compile(f)(x).toBits()).toEqual(f(x).toBits())
    expect(compile(grad(f))(x).toBits()).toEqual(grad(f)(x).toBits())
  })
})

describe('norms, wrong arguments', () => {
  const x = tensor([[1, 2]])
  const wrong: readonly [() => unknown, string][] = [
    [
      () => layerNorm(x, { variance: 'two-passes' as VarianceMethod }),
      'layerNorm: unknown variance, did you mean two-pass [two-passes]',
    ],
    [
      () => layerNorm(x, { scale: tensor([1, 2, 3]) }),
      'layerNorm: scale is not one number for each of 2 elements [3]',
    ],
    [
      () => rmsNorm(x, { scale: tensor([1, 2], { dtype: 'bfloat16' }) }),
      'rmsNorm: scale has another dtype than x, cast it [bfloat16 and float32]',
    ],
    [() => rmsNorm(x, { eps: -1 }), 'rmsNorm: eps is not a finite number, 0 or more [-1]'],
    [() => rmsNorm(tensor(1)), 'rmsNorm: needs one dimension or more [a number]'],
  ]
  it.each(wrong)('%s says what is wrong', (call, message) => expect(call).toThrow(message))
})
