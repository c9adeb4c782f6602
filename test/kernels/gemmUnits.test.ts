import { grad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import {
  castScaled,
  defineUnit,
  fp8Matmul,
  gemm,
  type UnitName,
  type UnitOutput,
  unitDot,
  units,
} from 'tpu-toolkit/kernels'
import { key, normal, uniform } from 'tpu-toolkit/random'
import { cast, type FloatDType, fromBits, mul, sum, type Tensor, tensor, transpose } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const drawn = (seed: number, shape: number[], dtype: FloatDType): Tensor<'bfloat16'> =>
  cast(normal(key(seed), shape), dtype) as Tensor<'bfloat16'>

/** Element (i, j) of a product as a row of its own. */
function dots(
  a: Tensor<'bfloat16'>,
  b: Tensor<'bfloat16'>,
  options: Parameters<typeof unitDot>[2],
): Tensor<UnitOutput> {
  const [m, k] = a.shape as [number, number]
  const n = b.shape[1]!
  const [x, y] = [a.toBits() as Uint16Array, b.toBits() as Uint16Array]
  const rows = (of: (i: number, j: number, p: number) => number): Tensor<'bfloat16'> => {
    const codes = new (x.constructor as Uint16ArrayConstructor)(m * n * k)
    for (let e = 0; e < codes.length; e++) {
      codes[e] = of(Math.floor(e / (n * k)), Math.floor(e / k) % n, e % k)
    }
    return fromBits(codes, { shape: [m * n, k], dtype: a.dtype })
  }
  return unitDot(
    rows((i, _, p) => x[i * k + p]!),
    rows((_, j, p) => y[p * n + j]!),
    options,
  )
}

const cases: readonly (readonly [UnitName, FloatDType, UnitOutput])[] = Object.entries(units).flatMap(
  ([name, unit]) =>
    Object.entries(unit.rules).flatMap(([input, outputs]) =>
      Object.entries(outputs ?? {}).flatMap(([out, rule]) =>
        rule.scaled === undefined
          ? [
              [name, input === 'tf32' ? 'float32' : input, out] as unknown as [
                UnitName,
                FloatDType,
                UnitOutput,
              ],
            ]
          : [],
      ),
    ),
)

describe('gemm on a matrix unit', () => {
  it.each(cases)('gemm on %s, %s into %s, is unitDot an element', (unit, dtype, out) => {
    const input = dtype === 'float32' ? ({ input: 'tf32' } as const) : {}
    for (const [m, k, n] of [
      [5, 70, 7],
      [1, 1, 1],
      [2, 0, 3],
    ] as const) {
      const [a, b] = [drawn(1, [m, k], dtype), drawn(2, [k, n], dtype)]
      for (const promote of [undefined, 64]) {
        const how = { unit, out, ...input, ...(promote === undefined ? {} : { promote }) }
        const want = dots(a, b, how)
        const got = gemm(a, b, how)
        expect(got.dtype).toBe(out)
        expect(got.toBits()).toEqual(want.toBits())
      }
    }
  })

  // Codes of any kind: subnormal, 0, close to the largest, of a narrow range so that sums cancel, infinite, NaN.
  const spans = [
    [0, 1],
    [0, 0.06],
    [0.9, 1],
    [0.45, 0.55],
    [0.3, 0.33],
  ] as const
  it.each(cases)('gemm on %s, %s into %s, of any codes is unitDot an element', (unit, dtype, out) => {
    const input = dtype === 'float32' ? ({ input: 'tf32' } as const) : {}
    for (const [i, [low, high]] of spans.entries()) {
      const [m, k, n] = [4, 65, 9]
      const codes = (which: number, count: number): Tensor<'bfloat16'> => {
        const draws = uniform(key(seed * 31 + 2 * i + which), [count]).toNumbers()
        const bits = dtype === 'float32' ? 32 : dtype.includes('16') ? 16 : 8
        const words = draws.map((u, e) => {
          const magnitude = Math.floor((low + u * (high - low)) * 2 ** (bits - 1))
          return e % 11 === 3 ? 0 : magnitude + (e % 3 === 0 ? 2 ** (bits - 1) : 0)
        })
        const typed =
          bits === 32
            ? Uint32Array.from(words)
            : bits === 16
              ? Uint16Array.from(words)
              : Uint8Array.from(words)
        const shape = which === 0 ? [m, k] : [k, n]
        return fromBits(typed as Uint16Array, { shape, dtype: dtype as 'bfloat16' })
      }
      const [a, b] = [codes(0, m * k), codes(1, k * n)]
      const how = { unit, out, ...input }
      expect(gemm(a, b, how).toBits()).toEqual(dots(a, b, how).toBits())
    }
  })

  it('gemm rounds to dtype, and to that of its operands without out', () => {
    const [a, b] = [drawn(1, [3, 40], 'bfloat16'), drawn(2, [40, 2], 'bfloat16')]
    const wide = gemm(a, b, { unit: 'a100', out: 'float32' })
    expect(gemm(a, b, { unit: 'a100' }).toBits()).toEqual(cast(wide, 'bfloat16').toBits())
    expect(gemm(a, b, { unit: 'a100', dtype: 'float16' }).toBits()).toEqual(cast(wide, 'float16').toBits())
  })

  it('gemm of e4m3 with e5m2, in batches and of vectors', () => {
    const [a, b] = [drawn(3, [2, 3, 40], 'float8_e4m3fn'), drawn(4, [40, 2], 'float8_e5m2')]
    const both = gemm(a, b, { unit: 'h100', out: 'float32' })
    expect(both.shape).toEqual([2, 3, 2])
    const row = drawn(5, [40], 'bfloat16')
    expect(gemm(row, row, { unit: 'h100', out: 'float32' }).shape).toEqual([])
  })

  it("gemm in XLA's fast accumulation is Hopper's unit", () => {
    const [a, b] = [drawn(3, [3, 70], 'float8_e4m3fn'), drawn(4, [70, 2], 'float8_e4m3fn')]
    expect(gemm(a, b, { precision: 'ANY_F8_ANY_F8_F32_FAST_ACCUM', dtype: 'float32' }).toBits()).toEqual(
      gemm(a, b, { unit: 'h100', out: 'float32' }).toBits(),
    )
  })

  it('grad of gemm is products of the same unit, and float32 products for operands of 8 bits', () => {
    const [a, b] = [drawn(1, [3, 40], 'bfloat16'), drawn(2, [40, 2], 'bfloat16')]
    const g = drawn(6, [3, 2], 'bfloat16')
    const loss = (x: typeof a): Tensor =>
      sum(mul(gemm(x, b, { unit: 'a100', out: 'float32' }), cast(g, 'float32')))
    const da = grad(loss)(a)
    expect(da.toBits()).toEqual(gemm(g, transpose(b) as typeof b, { unit: 'a100' }).toBits())
    const [u, v] = [drawn(1, [3, 4], 'float8_e5m2'), drawn(2, [4, 2], 'float8_e5m2')]
    const du = grad((x: typeof a) => sum(gemm(x, v, { unit: 'h100', out: 'float32' })))(u)
    expect(du.dtype).toBe('float8_e5m2')
  })

  it('fp8Matmul on a unit is gemm of its codes, and its gradient goes against the rounded other operand', () => {
    const [x, y] = [drawn(1, [3, 300], 'float32'), drawn(2, [300, 2], 'float32')] as unknown as [
      Tensor<'float32'>,
      Tensor<'float32'>,
    ]
    const scales = { a: 64, b: 32 }
    const [u, v] = [castScaled(x, { scale: 64 }), castScaled(y, { scale: 32 })]
    for (const promote of [undefined, 128]) {
      const how = { unit: 'h100', ...(promote === undefined ? {} : { promote }) } as const
      const sums = gemm(u, v, { ...how, out: 'float32' })
      expect(fp8Matmul(x, y, { scales, ...how }).toBits()).toEqual(mul(sums, 1 / 2048).toBits())
    }
    const of = (more: object) => (z: typeof x) => sum(fp8Matmul(z, y, { scales, ...more }))
    expect(grad(of({ unit: 'h100' }))(x).toBits()).toEqual(grad(of({}))(x).toBits())
    expect(() => fp8Matmul(x, y, { scales, unit: 'a100' })).toThrow(
      'fp8Matmul: a100 takes no float8_e4m3fn, it takes float16, bfloat16, tf32 [float8_e4m3fn]',
    )
    expect(() => fp8Matmul(x, y, { scales, promote: 128 })).toThrow(
      'fp8Matmul: promote is of a unit, name one [128]',
    )
  })

  it('gemm compiles with a unit', () => {
    const [a, b] = [drawn(1, [3, 40], 'bfloat16'), drawn(2, [40, 2], 'bfloat16')]
    const f = (x: typeof a): Tensor => gemm(x, b, { unit: 'h100', out: 'float32' })
    expect(compile(f)(a).toBits()).toEqual(f(a).toBits())
  })

  const one = tensor([[1]], { dtype: 'float16' })
  const wide = tensor([[1]])
  const wrong: readonly [() => unknown, string][] = [
    [() => gemm(one, one, { unit: 'h10' as 'h100' }), 'gemm: unknown unit, did you mean h100 [h10]'],
    [
      () => gemm(wide, wide, { unit: 'h100' }),
      "gemm: a matrix unit reads float32 as tf32, say input: 'tf32' [float32]",
    ],
    [() => gemm(one, one, { unit: 'h100', input: 'tf32' }), 'gemm: tf32 is read from float32 [float16]'],
    [
      () => gemm(cast(one, 'bfloat16'), cast(one, 'bfloat16'), { unit: 'v100' }),
      'gemm: v100 takes no bfloat16, it takes float16 [bfloat16]',
    ],
    [
      () => gemm(cast(one, 'bfloat16'), cast(one, 'bfloat16'), { unit: 'h100', out: 'float16' }),
      'gemm: h100 has no float16 output for bfloat16, it has float32 [float16]',
    ],
    [
      () => gemm(one, one, { unit: 'h100', out: 'float64' as 'float32' }),
      'gemm: unknown out, did you mean float32 [float64]',
    ],
    [
      () => gemm(one, one, { unit: 'h100', promote: 24 }),
      "gemm: promote is no multiple of an instruction's 16 products [24]",
    ],
    [
      () => gemm(one, one, { unit: 'h100', precision: 'high' }),
      'gemm: unit and precision exclude each other [high]',
    ],
    [() => gemm(one, one, { out: 'float32' }), 'gemm: out is of a unit, name one [float32]'],
    [
      () => gemm(cast(one, 'float8_e5m2'), cast(one, 'float8_e5m2'), { unit: 'b200-block-scaled' }),
      'gemm: b200-block-scaled needs scales, which unitDot takes [b200-block-scaled]',
    ],
    [
      () => gemm(one, cast(one, 'bfloat16') as never, { unit: 'h100' }),
      'gemm: h100 multiplies no float16 with bfloat16, cast one of them [float16 and bfloat16]',
    ],
    [() => unitDot(one, one, {} as { unit: 'h100' }), 'unitDot: option unit is missing'],
    [
      () => unitDot(one, tensor([[1, 2]], { dtype: 'float16' }), { unit: 'h100' }),
      'unitDot: shapes differ [1, 1] and [1, 2]',
    ],
    [() => unitDot(one, one, { unit: 'h100', c: tensor([1, 2]) }), 'unitDot: c has not one number a row [2]'],
    [
      () => unitDot(one, one, { unit: { ...units.h100, isChecked: false } as never }),
      'unitDot: unit is neither a name nor from defineUnit',
    ],
    [
      () =>
        defineUnit({
          ...units.v100,
          rules: { float16: { float32: { ...units.v100.rules.float16!.float32!, k: 6 } } },
        }),
      'defineUnit: k is no multiple of group [6, 4]',
    ],
  ]
  it.each(wrong)('%s says what is wrong', (call, message) => expect(call).toThrow(message))
})
