import {
  errorBound,
  type GemmBoundOptions,
  gemm,
  type UnitName,
  type UnitOutput,
  unitDot,
  units,
} from 'tpu-toolkit/kernels'
import { certify, shadow } from 'tpu-toolkit/precision'
import { key, normal, uniform } from 'tpu-toolkit/random'
import { abs, cast, type FloatDType, fromBits, max, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const cases = Object.entries(units).flatMap(([name, unit]) =>
  Object.entries(unit.rules).flatMap(([input, outputs]) =>
    Object.entries(outputs ?? {}).flatMap(([out, rule]) =>
      rule.scaled === undefined ? [[name as UnitName, input, out as UnitOutput] as const] : [],
    ),
  ),
)

describe(`errorBound(gemm) of units (seed ${seed})`, () => {
  it.each(cases)('gemm on %s, %s into %s, stays inside it', (unit, input, out) => {
    const dtype = (input === 'tf32' ? 'float32' : input) as FloatDType
    const more = input === 'tf32' ? ({ input } as const) : {}
    const bits = input === 'tf32' ? 32 : dtype.includes('16') ? 16 : 8
    let worst = 0
    for (const [i, k] of [1, 7, 64, 300].entries()) {
      // Normal numbers, those of one sign, and codes near 0, subnormal ones among them.
      for (const kind of ['normal', 'positive', 'tiny'] as const) {
        const [m, n] = [4, 4]
        const drawn = (which: number, shape: number[]): Tensor<'bfloat16'> => {
          const from = key(seed * 101 + 10 * i + which)
          if (kind === 'tiny') {
            const words = uniform(from, shape)
              .toNumbers()
              .map((u) => Math.floor(u * 2 ** (bits - 1) * 0.05))
            const typed =
              bits === 32
                ? Uint32Array.from(words)
                : bits === 16
                  ? Uint16Array.from(words)
                  : Uint8Array.from(words)
            return fromBits(typed as Uint16Array, { shape, dtype: dtype as 'bfloat16' })
          }
          const x = normal(from, shape)
          return cast(kind === 'positive' ? abs(x) : x, dtype) as Tensor<'bfloat16'>
        }
        const [a, b] = [drawn(0, [m, k]), drawn(1, [k, n])]
        for (const promote of [undefined, 64]) {
          const how = { unit, out, ...more, ...(promote === undefined ? {} : { promote }) }
          const got = gemm(a, b, how).toNumbers()
          const [x, y] = [a.toNumbers(), b.toNumbers()]
          const maxAbs = Math.max(...[...x, ...y].map(Math.abs))
          for (const [e, value] of got.entries()) {
            let [exact, sumAbs] = [0, 0]
            for (let p = 0; p < k; p++) {
              const product = x[Math.floor(e / n) * k + p]! * y[p * n + (e % n)]!
              exact += product
              sumAbs += Math.abs(product)
            }
            const options = { k, operands: dtype, ...how } as GemmBoundOptions
            const { bound } = errorBound('gemm', options, { sumAbs: sumAbs * (1 + 2 ** -40), maxAbs })
            const error = Math.abs(value - exact)
            expect(error).toBeLessThanOrEqual(bound + k * 2 ** -53 * sumAbs)
            if (kind !== 'tiny') worst = Math.max(worst, error / bound)
          }
        }
      }
    }
    // A bound that no error comes near is no use; that of mi200 grants operands that it may take for 0.
    expect(worst).toBeGreaterThan(unit === 'mi200' ? 0 : 0.002)
    expect(worst).toBeLessThan(1)
  })

  it('errorBound(gemm) orders GPUs by what their fp8 loses, and promotion bounds it', () => {
    const of = (unit: UnitName, k: number, promote?: number): number =>
      errorBound(
        'gemm',
        {
          k,
          unit,
          operands: 'float8_e4m3fn',
          dtype: 'float32',
          ...(promote === undefined ? {} : { promote }),
        },
        { sumAbs: 1, maxAbs: 1 },
      ).bound
    expect(of('b200', 4096)).toBeLessThan(2 ** -10 * of('h100', 4096))
    expect(of('h100', 4096, 128)).toBeLessThan(of('h100', 4096) / 16)
    expect(of('h100', 4096, 128)).toBeGreaterThan(of('h100', 128))
    expect(
      errorBound('gemm', { k: 4, unit: 'v100', operands: 'float16' }, { sumAbs: 1e6, maxAbs: 1e3 }).bound,
    ).toBe(Number.POSITIVE_INFINITY)
    expect(() =>
      errorBound('gemm', { k: 4, unit: 'v100', operands: 'bfloat16' }, { sumAbs: 1, maxAbs: 1 }),
    ).toThrow('errorBound: v100 takes no bfloat16, it takes float16 [bfloat16]')
  })
})

describe('certify and shadow on matrix units', () => {
  const [a, b] = [
    cast(normal(key(1), [3, 70]), 'float8_e4m3fn'),
    cast(normal(key(2), [70, 3]), 'float8_e4m3fn'),
  ]
  const f = ([x, y]: readonly Tensor[]): Tensor =>
    gemm(x as Tensor<'bfloat16'>, y as Tensor<'bfloat16'>, { unit: 'h100', out: 'float32' })
  it('certify has the error of the unit', () => {
    const { bounds, unknown } = certify(f, [a, b], { check: false })
    expect(unknown).toEqual([])
    const most = max(bounds[0]!).item()
    expect(most).toBeGreaterThan(2 ** -13)
    expect(most).toBeLessThan(1)
  })

  it('shadow names the product on the unit as what loses', () => {
    const beside = shadow(f, [a, b], { check: false })
    const [found] = beside.outputs()
    expect(found!.max).toBeGreaterThan(2 ** -16)
    const rows = [tensor([[1, 2]], { dtype: 'float16' }), tensor([[3, 2 ** -14]], { dtype: 'float16' })]
    const dots = ([x, y]: readonly Tensor[]): Tensor =>
      unitDot(x as Tensor<'float16'>, y as Tensor<'float16'>, { unit: 'v100', out: 'float16' })
    expect(shadow(dots, rows, { check: false }).outputs()[0]!.max).toBeGreaterThan(0)
  })
})
