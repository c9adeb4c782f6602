import fc from 'fast-check'
import {
  errorBound,
  type GemmBoundOptions,
  type GemmPrecision,
  gemm,
  layerNorm,
  rmsNorm,
  type Split,
  type VarianceMethod,
} from 'tpu-toolkit/kernels'
import { cast, type FloatDType, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const choice = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values)
/** Numbers of every size, zeros and float32's subnormals among them. */
const wide = fc.oneof(
  { weight: 6, arbitrary: fc.float({ noNaN: true, noDefaultInfinity: true, min: -1000, max: 1000 }) },
  fc.tuple(fc.integer({ min: -149, max: 20 }), choice(1, -1, 1.75)).map(([e, s]) => Math.fround(s * 2 ** e)),
)

/** Exact sum of products of float32 numbers near each other: float64 is off by k 2^-53 of the magnitudes, which is granted. */
const exactly = (
  a: ArrayLike<number>,
  b: ArrayLike<number>,
): { value: number; sumAbs: number; slack: number } => {
  let [value, sumAbs] = [0, 0]
  for (let i = 0; i < a.length; i++) {
    value += a[i]! * b[i]!
    sumAbs += Math.abs(a[i]! * b[i]!)
  }
  return { value, sumAbs: sumAbs * (1 + a.length * 2 ** -53), slack: a.length * 2 ** -53 * sumAbs }
}

describe(`errorBound(gemm) (seed ${seed})`, () => {
  const options = fc.record({
    precision: choice<GemmPrecision>(
      ...(['default', 'high', 'highest', 'BF16_BF16_F32_X9', 'BF16_BF16_BF16', 'TF32_TF32_F32'] as const),
      ...(['TF32_TF32_F32_X3', 'F16_F16_F32', 'F16_F16_F16', 'F32_F32_F32', 'F64_F64_F64'] as const),
    ),
    split: choice<Split>('truncate', 'nearest'),
    blockK: choice(undefined, 1, 4),
    blocks: choice<FloatDType>('float32', 'bfloat16'),
    dtype: choice<FloatDType>('float32', 'bfloat16'),
    operands: choice<FloatDType>('float32', 'bfloat16', 'float16'),
  })
  const row = fc.integer({ min: 1, max: 24 }).chain((k) => {
    const one = fc.array(wide, { minLength: k, maxLength: k })
    return fc.tuple(one, one)
  })
  const worst = new Map<string, number>()
  it('gemm stays inside errorBound(gemm) in every precision, split, block and dtype', () => {
    fc.assert(
      fc.property(options, row, ({ blockK, blocks, ...rest }, [x, y]) => {
        const how = blockK === undefined ? rest : { ...rest, blockK, between: blocks }
        const { operands, ...own } = how
        const [a, b] = [x, y].map((v) => cast(tensor(v), operands))
        const { value, sumAbs, slack } = exactly(a!.toNumbers(), b!.toNumbers())
        const maxAbs = Math.max(...[...a!.toNumbers(), ...b!.toNumbers()].map(Math.abs))
        if (!(maxAbs < Infinity)) return
        const { bound } = errorBound('gemm', { k: x.length, ...how } as GemmBoundOptions, { sumAbs, maxAbs })
        // Past the range of float16 a product may be Inf or NaN.
        if (bound === Infinity) return
        const error = Math.abs(gemm(a!, b!, own as object).item() - value)
        expect(error).toBeLessThanOrEqual(bound + slack)
        if (bound > 1e-30) worst.set(rest.precision, Math.max(worst.get(rest.precision) ?? 0, error / bound))
      }),
      { seed, numRuns: 3000 },
    )
    // A bound that measured errors never come near is no use: rounding errors add up like a walk, so not to all of it.
    for (const [, ratio] of worst) expect(ratio).toBeGreaterThan(0.05)
  })

  it('errorBound(gemm) is that of the parts: bfloat16 operands lose nothing, positive data in x3 come near', () => {
    const data = { sumAbs: 1, maxAbs: 1 }
    expect(errorBound('gemm', { k: 1, operands: 'bfloat16', dtype: 'float32' }, data).bound).toBeLessThan(
      2 ** -23,
    )
    const x = tensor([1 + 127 / 128 / 128 - 2 ** -20])
    const error = Math.abs(gemm(x, x, { precision: 'high' }).item() - x.item() ** 2)
    const { bound } = errorBound(
      'gemm',
      { k: 1, precision: 'high' },
      { sumAbs: x.item() ** 2, maxAbs: x.item() },
    )
    expect(error / bound).toBeGreaterThan(0.4)
  })

  it('errorBound(gemm) is Infinity where a part or a sum may overflow', () => {
    const large = { sumAbs: 1, maxAbs: 3.4e38 }
    expect(errorBound('gemm', { k: 2 }, large).bound).toBe(Infinity)
    expect(
      errorBound('gemm', { k: 2, precision: 'F32_F32_F32' }, { sumAbs: 3.4028e38, maxAbs: 1e30 }).bound,
    ).toBeLessThan(Infinity)
    expect(errorBound('gemm', { k: 2, precision: 'F32_F32_F32' }, { sumAbs: 1e39, maxAbs: 1e30 }).bound).toBe(
      Infinity,
    )
    expect(() => errorBound('rmsNorm', { n: 4, variance: 'fast' }, { largest: 1 })).toThrow(
      'errorBound: an RMS norm has no variance [fast]',
    )
    expect(() => errorBound('gemm', { k: -1 }, large)).toThrow(
      'errorBound: k is not a whole number, 0 or more [-1]',
    )
  })
})

describe(`errorBound(norm) (seed ${seed})`, () => {
  const row = fc
    .tuple(
      fc.array(fc.float({ noNaN: true, min: -4, max: 4 }), { minLength: 1, maxLength: 60 }),
      choice(0, 10, 300),
    )
    .map(([values, shift]) => values.map((value) => value + shift))
  const scale = fc.float({ noNaN: true, min: -3, max: 3 })
  const dtypes = choice<FloatDType>('float32', 'bfloat16', 'float16')

  it('layerNorm stays inside errorBound(norm), two passes, fast and Welford', () => {
    let worst = 0
    fc.assert(
      fc.property(
        row,
        scale,
        dtypes,
        choice<VarianceMethod>('two-pass', 'fast', 'welford'),
        (values, s, dtype, variance) => {
          const x = cast(tensor(values), dtype)
          const v = x.toNumbers()
          const n = v.length
          const mean = v.reduce((a, b) => a + b, 0) / n
          const spread = v.reduce((a, b) => a + (b - mean) ** 2, 0) / n
          const parameters = {
            scale: cast(tensor(Array.from({ length: n }, () => s)), dtype),
            bias: cast(tensor(Array.from({ length: n }, () => 0.5)), dtype),
          }
          const own = parameters.scale.toNumbers()[0]!
          const out = layerNorm(x, { ...parameters, variance }).toNumbers()
          // Not a float32 number: its rounding is part of the error.
          const eps = 1e-5
          const data = { largest: Math.max(...v.map(Math.abs)), spread, scale: Math.abs(own), bias: 0.5 }
          const { bound } = errorBound('layerNorm', { n, dtype, variance, eps }, data)
          for (let i = 0; i < n; i++) {
            const exact = ((v[i]! - mean) / Math.sqrt(spread + eps)) * own + 0.5
            const error = Math.abs(out[i]! - exact)
            expect(error).toBeLessThanOrEqual(bound * (1 + 1e-6))
            worst = Math.max(worst, error / bound)
          }
        },
      ),
      { seed, numRuns: 900 },
    )
    expect(worst).toBeGreaterThan(0.05)
  })

  // Of a ramp whose steps over k stay under half an ulp the running mean never moves: the drift that the bound allows for.
  it('layerNorm by Welford in few bits stays inside errorBound(norm), ramps that its mean does not follow included', () => {
    const noise = fc.array(fc.float({ noNaN: true, min: -4, max: 4 }), { minLength: 2, maxLength: 200 })
    const ramp = fc.integer({ min: 2, max: 60 }).map((n) => Array.from({ length: n }, (_, k) => k * 0.0035))
    let finite = 0
    let worst = 0
    fc.assert(
      fc.property(fc.oneof(noise, ramp), choice(0, 1, 8), choice(2 ** -10, 1), (values, shift, eps) => {
        const x = cast(tensor(values.map((value) => value + shift)), 'float16')
        const v = x.toNumbers()
        const n = v.length
        const mean = v.reduce((a, b) => a + b, 0) / n
        const spread = v.reduce((a, b) => a + (b - mean) ** 2, 0) / n
        const out = layerNorm(x, { variance: 'welford', internal: 'float16', eps }).toNumbers()
        const options = { n, dtype: 'float16', internal: 'float16', variance: 'welford', eps } as const
        const { bound } = errorBound('layerNorm', options, { largest: Math.max(...v.map(Math.abs)), spread })
        if (bound === Infinity) return
        finite++
        const exact = v.map((value) => (value - mean) / Math.sqrt(spread + eps))
        const error = Math.max(...out.map((value, i) => Math.abs(value - exact[i]!)))
        expect(error).toBeLessThanOrEqual(bound * (1 + 1e-9))
        worst = Math.max(worst, error / bound)
      }),
      { seed, numRuns: 400 },
    )
    expect(finite).toBeGreaterThan(100)
    expect(worst).toBeGreaterThan(0.1)
  })

  it('rmsNorm stays inside errorBound(norm) in every place of the scale', () => {
    let worst = 0
    const scalings = choice('fused' as const, 'cast-first' as const, 'one-plus' as const)
    fc.assert(
      fc.property(row, scale, dtypes, scalings, (values, s, dtype, scaling) => {
        const x = cast(tensor(values), dtype)
        const v = x.toNumbers()
        const n = v.length
        const spread = v.reduce((a, b) => a + b * b, 0) / n
        const given = cast(tensor(Array.from({ length: n }, () => s)), dtype)
        const own = given.toNumbers()[0]! + (scaling === 'one-plus' ? 1 : 0)
        const out = rmsNorm(x, { scale: given, scaling }).toNumbers()
        const eps = Math.fround(1e-6)
        const data = { largest: Math.max(...v.map(Math.abs)), spread, scale: Math.abs(own) }
        const { bound } = errorBound('rmsNorm', { n, dtype, scaling, eps }, data)
        for (let i = 0; i < n; i++) {
          const error = Math.abs(out[i]! - (v[i]! / Math.sqrt(spread + eps)) * own)
          expect(error).toBeLessThanOrEqual(bound * (1 + 1e-6))
          if (bound > 1e-30) worst = Math.max(worst, error / bound)
        }
      }),
      { seed, numRuns: 600 },
    )
    expect(worst).toBeGreaterThan(0.1)
  })

  it('errorBound(norm) is Infinity where fast may lose its variance and two passes do not', () => {
    const data = { largest: 1003, spread: 1 }
    expect(errorBound('layerNorm', { n: 256, variance: 'fast' }, data).bound).toBe(Infinity)
    expect(errorBound('layerNorm', { n: 256 }, data).bound).toBeLessThan(0.02)
    expect(errorBound('layerNorm', { n: 256, internal: 'bfloat16' }, data).bound).toBe(Infinity)
    expect(errorBound('layerNorm', { n: 256, variance: 'welford' }, data).bound).toBeLessThan(1)
    expect(() => errorBound('layerNorm', { n: 256, variance: 'walford' as 'fast' }, data)).toThrow(
      'errorBound: unknown variance, did you mean welford [walford]',
    )
  })
})
