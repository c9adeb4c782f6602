import fc from 'fast-check'
import { grad, jvp } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { attention, blockScaledMatmul, flashAttention, type GemmOptions, gemm } from 'tpu-toolkit/kernels'
import {
  add,
  cast,
  type FloatDType,
  fromBits,
  matmul,
  sum,
  type Tensor,
  tensor,
  transpose,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { seed } from '../support/seed.js'

interface Case {
  readonly case: string
  readonly m: number
  readonly k: number
  readonly n: number
  readonly blocks?: readonly number[]
}

const modes: Readonly<Record<string, GemmOptions>> = {
  bf16: {},
  bf16_x3: { precision: 'high' },
  bf16_x6: { precision: 'highest' },
  bf16_x9: { precision: 'BF16_BF16_F32_X9' },
  bf16_x3_nearest: { precision: 'high', split: 'nearest' },
  bf16_x6_nearest: { precision: 'highest', split: 'nearest' },
  bf16_x9_nearest: { precision: 'BF16_BF16_F32_X9', split: 'nearest' },
  tf32: { precision: 'TF32_TF32_F32' },
  tf32_nearest: { precision: 'TF32_TF32_F32', split: 'nearest' },
  tf32_x3: { precision: 'TF32_TF32_F32_X3' },
  float32: { precision: 'F32_F32_F32' },
}

const precision = new Columns('kernels/precision_modes')
const blocked = new Columns('kernels/gemm_blocks')
const casesOf = (key: Columns): readonly Case[] => key.facts['cases'] as readonly Case[]

describe('gemm against an op-by-op emulation in NumPy', () => {
  describe.each(casesOf(precision))('precision_modes, $case', ({ case: name, m, k, n }) => {
    const a = fromBits(precision.u32(`${name}_a`), { shape: [m, k], dtype: 'float32' })
    const b = fromBits(precision.u32(`${name}_b`), { shape: [k, n], dtype: 'float32' })
    it.each(Object.entries(modes))('gemm in the mode %s has its bits', (mode, options) => {
      expect(gemm(a, b, options).toBits()).toEqual(precision.u32(`${name}_${mode}`))
    })
  })

  describe.each(casesOf(blocked))('gemm_blocks, $case', ({ case: name, m, k, n, blocks = [] }) => {
    const a = fromBits(blocked.u16(`${name}_a`), { shape: [m, k], dtype: 'bfloat16' })
    const b = fromBits(blocked.u16(`${name}_b`), { shape: [k, n], dtype: 'bfloat16' })
    it('gemm in one piece has the bits of the running sum', () => {
      expect(gemm(a, b, { dtype: 'float32' }).toBits()).toEqual(blocked.u32(`${name}_whole_f32`))
      expect(gemm(a, b).toBits()).toEqual(blocked.u16(`${name}_whole_bf16`))
    })
    it.each(blocks)('gemm in blocks of %i has the bits of their total', (blockK) => {
      expect(gemm(a, b, { blockK, dtype: 'float32' }).toBits()).toEqual(
        blocked.u32(`${name}_block${blockK}_f32`),
      )
      expect(gemm(a, b, { blockK }).toBits()).toEqual(blocked.u16(`${name}_block${blockK}_bf16`))
      expect(gemm(a, b, { blockK, between: 'bfloat16' }).toBits()).toEqual(
        blocked.u16(`${name}_block${blockK}_between_bf16`),
      )
    })
  })
})

/** Numbers whose products do not underflow: one that does leaves -0 behind, which a total from +0 does not keep. */
const numbers = (length: number): fc.Arbitrary<number[]> =>
  fc.array(
    fc
      .float({ noNaN: true, noDefaultInfinity: true, min: -100, max: 100 })
      .map((x) => (Math.abs(x) < 2 ** -30 ? 0 : x)),
    { minLength: length, maxLength: length },
  )
const matrices = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 9 }), fc.integer({ min: 1, max: 4 }))
  .chain(([m, k, n]) =>
    fc.tuple(numbers(m * k), numbers(k * n)).map(([a, b]) => ({
      a: tensor(a, { shape: [m, k] }),
      b: tensor(b, { shape: [k, n] }),
    })),
  )

describe('gemm, by the names of jax 0.10', () => {
  const random = fromBits(precision.u32(`${casesOf(precision)[0]!.case}_a`), {
    shape: [casesOf(precision)[0]!.m, casesOf(precision)[0]!.k],
    dtype: 'float32',
  })
  const [a, b] = [random, transpose(random) as Tensor<'float32'>]
  const bits = (options: GemmOptions): ArrayLike<unknown> => gemm(a, b, options).toBits()

  // What lax._precision_strings of jax 0.10.2 holds.
  it.each([
    ['bfloat16', 'default'],
    ['fastest', 'default'],
    ['DEFAULT', 'default'],
    ['BF16_BF16_F32', 'default'],
    ['tensorfloat32', 'high'],
    ['bfloat16_3x', 'high'],
    ['BF16_BF16_F32_X3', 'high'],
    ['float32', 'highest'],
    ['BF16_BF16_F32_X6', 'highest'],
  ] as const)('%s is %s', (name, same) => {
    expect(bits({ precision: name })).toEqual(bits({ precision: same }))
  })

  it('the presets round what their names say', () => {
    const wide = (x: Tensor, dtype: FloatDType): Tensor<'float32'> => cast(cast(x, dtype), 'float32')
    const of = (dtype: FloatDType, accumulate: FloatDType): ArrayLike<unknown> =>
      matmul(wide(a, dtype), wide(b, dtype), { accumulate }).toBits()
    expect(bits({ precision: 'F16_F16_F32' })).toEqual(of('float16', 'float32'))
    expect(bits({ precision: 'F16_F16_F16' })).toEqual(of('float16', 'float16'))
    expect(bits({ precision: 'BF16_BF16_BF16' })).toEqual(of('bfloat16', 'bfloat16'))
    expect(bits({ precision: 'F64_F64_F64' })).toEqual(of('float32', 'float64'))
    expect(bits({ precision: 'F32_F32_F32' })).toEqual(of('float32', 'float32'))
    const [x, y] = [cast(a, 'float8_e4m3fn'), cast(b, 'float8_e4m3fn')]
    for (const name of ['ANY_F8_ANY_F8_F32', 'ANY_F8_ANY_F8_ANY'] as const) {
      expect(gemm(x, y, { precision: name, dtype: 'float32' }).toBits()).toEqual(
        matmul(cast(x, 'float32'), cast(y, 'float32')).toBits(),
      )
    }
    // 40 products of 1 + 2^-3: the last of 14 bits is 2^-8 of a sum above 32.
    const ones = (shape: number[]): Tensor<'float8_e4m3fn'> =>
      tensor(new Array(40).fill(1.125), { shape, dtype: 'float8_e4m3fn' })
    const fast = gemm(ones([1, 40]), ones([40, 1]), {
      precision: 'ANY_F8_ANY_F8_F32_FAST_ACCUM',
      dtype: 'float32',
    })
    expect(fast.item()).toBe(50.625)
    expect(() => gemm(a, b, { precision: 'ANY_F8_ANY_F8_F32' })).toThrow(
      new TypeError('gemm: ANY_F8_ANY_F8_F32 takes operands of 8 bits [float32]'),
    )
  })
})

describe(`gemm, properties (seed ${seed})`, () => {
  it('gemm of bfloat16 operands is matmul in every precision of one part or more', () => {
    fc.assert(
      fc.property(matrices, fc.constantFrom(...Object.values(modes)), ({ a, b }, options) => {
        const [x, y] = [cast(a, 'bfloat16'), cast(b, 'bfloat16')]
        expect(gemm(x, y, options).toBits()).toEqual(matmul(x, y).toBits())
      }),
      { seed, numRuns: 100 },
    )
  })

  it('gemm in float32 is matmul, and one block is no block', () => {
    fc.assert(
      fc.property(matrices, fc.constantFrom(...Object.values(modes)), ({ a, b }, options) => {
        expect(gemm(a, b, { precision: 'F32_F32_F32' }).toBits()).toEqual(matmul(a, b).toBits())
        expect(gemm(a, b, { ...options, blockK: 100 }).toBits()).toEqual(gemm(a, b, options).toBits())
      }),
      { seed, numRuns: 100 },
    )
  })

  it('gemm of a batch is the gemm of its matrices, axes of 1 repeated', () => {
    const a = tensor(
      Array.from({ length: 12 }, (_, i) => Math.sin(i)),
      { shape: [2, 2, 3] },
    )
    const b = tensor(
      Array.from({ length: 6 }, (_, i) => Math.cos(i)),
      { shape: [1, 3, 2] },
    )
    const options: GemmOptions = { precision: 'high', blockK: 2 }
    const whole = gemm(a, b, options).toNested()
    const one = (i: number): Tensor => tensor(a.data.slice(6 * i, 6 * i + 6), { shape: [2, 3] }) as Tensor
    const right = tensor(b.data, { shape: [3, 2] })
    expect(whole).toEqual([0, 1].map((i) => gemm(one(i) as Tensor<'float32'>, right, options).toNested()))
  })
})

describe('gemm, gradients', () => {
  const a = tensor(
    Array.from({ length: 6 }, (_, i) => Math.sin(i) / 3),
    { shape: [2, 3] },
  )
  const b = tensor(
    Array.from({ length: 12 }, (_, i) => Math.cos(i) / 3),
    { shape: [3, 4] },
  )
  it.each(Object.entries(modes))('grad of gemm in the mode %s is two products in that mode', (_, options) => {
    const g = tensor(
      Array.from({ length: 8 }, (_, i) => 1 / (i + 1)),
      { shape: [2, 4] },
    )
    const loss = (x: Tensor<'float32'>, y: Tensor<'float32'>): Tensor =>
      sum(matmul(cast(gemm(x, y, options), 'float64'), transpose(cast(g, 'float64'))), { axis: 0 })
    const trace = (x: Tensor<'float32'>, y: Tensor<'float32'>): Tensor => sum(cast(loss(x, y), 'float32'))
    const [da, db] = grad(trace, { argnums: [0, 1] })(a, b)
    const cotangent = grad((c: Tensor) =>
      sum(cast(sum(matmul(cast(c, 'float64'), transpose(cast(g, 'float64'))), { axis: 0 }), 'float32')),
    )(gemm(a, b, options)) as Tensor<'float32'>
    expect(da.toBits()).toEqual(gemm(cotangent, transpose(b), options).toBits())
    expect(db.toBits()).toEqual(gemm(transpose(a), cotangent, options).toBits())
  })

  it('gemm gives each operand a gradient of its own dtype where the result has another', () => {
    const x = cast(a, 'bfloat16')
    const y = cast(b, 'bfloat16')
    const f = (v: typeof x): Tensor => sum(gemm(v, y, { dtype: 'float32' }))
    expect(grad(f)(x).dtype).toBe('bfloat16')
  })

  it('gemm compiles to the same bits, its gradient too', () => {
    const f = (x: Tensor<'float32'>, y: Tensor<'float32'>): Tensor => sum(gemm(x, y, { precision: 'high' }))
    expect(compile(f)(a, b).toBits()).toEqual(f(a, b).toBits())
    expect(compile(grad(f))(a, b).toBits()).toEqual(grad(f)(a, b).toBits())
  })
})

describe('gemm, wrong arguments', () => {
  const a = tensor([[1, 2]])
  const b = tensor([[1], [2]])
  const wrong: readonly [string, () => unknown, string][] = [
    ['a block of 0', () => gemm(a, b, { blockK: 0 }), 'gemm: blockK is not a whole number, 1 or more [0]'],
    [
      'an unknown precision',
      () => gemm(a, b, { precision: 'highst' as 'high' }),
      'gemm: unknown precision, did you mean highest [highst]',
    ],
    [
      'float64',
      () => gemm(cast(a, 'float64'), cast(b, 'float64')),
      'gemm: a matrix unit takes no float64, cast to float32 first [float64]',
    ],
    ['unlike sizes', () => gemm(a, a), 'gemm: inner dimensions differ [1, 2] x [1, 2]'],
    [
      'unlike dtypes',
      () => gemm(a as Tensor<FloatDType>, cast(b, 'bfloat16')),
      'gemm: dtypes differ, cast one of them [float32 and bfloat16]',
    ],
    [
      'integers',
      () => gemm(cast(a, 'int32') as unknown as typeof a, b),
      'gemm: needs a floating-point dtype, cast first [int32]',
    ],
    [
      'a between without blocks',
      () => gemm(a, b, { between: 'bfloat16' }),
      'gemm: between rounds blocks, give blockK too [bfloat16]',
    ],
    [
      'a between wider than the sums',
      () => gemm(a, b, { blockK: 1, between: 'float64' }),
      'gemm: between is wider than the float32 sums [float64]',
    ],
  ]
  it.each(wrong)('gemm names %s', (_, call, message) => expect(call).toThrow(message))
})

describe('jvp of kernels', () => {
  const [a, b] = [tensor([[1.1, 2.3, -0.7]]), tensor([[0.5], [-1.9], [0.3]])]
  const [da, db] = [tensor([[0.3, -0.2, 1.7]]), tensor([[2.1], [0.9], [-0.4]])]

  it.each(Object.entries(modes))('jvp of gemm in the mode %s is two products in that mode', (_, options) => {
    const along = jvp((x, y) => gemm(x, y, options), [a, b], [da, db])[1]
    expect(along.toBits()).toEqual(add(gemm(da, b, options), gemm(a, db, options)).toBits())
    const one = jvp((x) => gemm(x, b, options), [a], [da])[1]
    expect(one.toBits()).toEqual(gemm(da, b, options).toBits())
  })

  it('jvp of flashAttention and of products in fp8 is that of their exact function, rounded once', () => {
    const wide = (x: Tensor): Tensor<'float64'> => cast(x, 'float64')
    const flash = jvp(
      (x, y) => flashAttention(x, transpose(y), transpose(y), { scale: 0.3 }).out32,
      [a, b],
      [da, db],
    )
    const exact = jvp(
      (x, y) => attention(x, transpose(y), transpose(y), { scale: 0.3 }).out,
      [wide(a), wide(b)],
      [wide(da), wide(db)],
    )
    expect(flash[1].toBits()).toEqual(cast(exact[1], 'float32').toBits())
    const tiled = jvp((x) => blockScaledMatmul(x, b), [a], [da])[1]
    expect(tiled.toBits()).toEqual(cast(matmul(wide(da), wide(b)), 'float32').toBits())
  })
})
