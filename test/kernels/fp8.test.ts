import { grad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import type { FormatName } from 'tpu-toolkit/formats'
import { round } from 'tpu-toolkit/formats'
import {
  type BlockScaledOptions,
  blockScaledMatmul,
  castScaled,
  delayedScale,
  fp8Matmul,
  type GradientTiles,
  type ScaleState,
  scaleTiles,
  unitDot,
} from 'tpu-toolkit/kernels'
import { key as keyOf, normal } from 'tpu-toolkit/random'
import {
  abs,
  cast,
  fromBits,
  matmul,
  max,
  mul,
  ones,
  slice,
  sum,
  type Tensor,
  tensor,
  transpose,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'

const fromWord = (hex: string): number =>
  new Float32Array(Uint32Array.of(Number.parseInt(hex, 16)).buffer)[0]!

describe('delayedScale against flax.linen.fp8_ops and an emulation in NumPy', () => {
  const key = new Columns('kernels/fp8_delayed')
  const cases = key.facts['cases'] as readonly {
    case: string
    kind: string
    format: FormatName
    length: number
    algorithm: 'max' | 'most_recent'
    margin: number
    stepsOverflowing: number
  }[]
  it.each(cases)('delayedScale has the scales of $case', (one) => {
    const { format, length: history, algorithm, margin } = one
    const amaxes = new Float32Array(key.u32(`${one.kind}_amax`).slice().buffer)
    const scaling = delayedScale({ format, history, algorithm, margin })
    let state = scaling.init()
    let overflowing = 0
    const scales = Array.from(amaxes, (amax) => {
      const most = format === 'float8_e4m3fn' ? 448 : 57344
      // An amax of Inf overflows in any format, which the key does not count.
      if (amax < Infinity && Math.fround(amax * state.scale.item()) > most) overflowing++
      state = scaling.update(amax, state)
      return state.scale.toBits()[0]
    })
    expect(scales).toEqual([...key.u32(one.case)])
    expect(overflowing).toBe(one.stepsOverflowing)
  })

  it('delayedScale compiles: a step of scaling as one program', () => {
    const scaling = delayedScale({ history: 4 })
    const step = (x: Tensor<'float32'>, state: ScaleState): ScaleState => scaling.update(max(abs(x)), state)
    const compiled = compile(step)
    let [eager, program] = [scaling.init(), scaling.init()]
    for (const amax of [3, 500, 0, Number.NaN, 2, 1, 1]) {
      const x = tensor([amax, -amax / 2])
      eager = step(x, eager)
      program = compiled(x, program)
      expect(program.scale.toBits()).toEqual(eager.scale.toBits())
      expect(program.history.toBits()).toEqual(eager.history.toBits())
    }
  })
})

describe('fp8Matmul against an emulation in NumPy', () => {
  const key = new Columns('kernels/fp8_matmul')
  const cases = key.facts['cases'] as readonly {
    case: string
    m: number
    k: number
    n: number
    formatA: FormatName
    formatB: FormatName
    scaleA: string
    scaleB: string
  }[]
  it.each(cases)('fp8Matmul and castScaled have the bits of $case', (one) => {
    const { case: name, m, k, n } = one
    const a = fromBits(key.u16(`${name}_a`), { shape: [m, k], dtype: 'bfloat16' })
    const b = fromBits(key.u16(`${name}_b`), { shape: [k, n], dtype: 'bfloat16' })
    const scales = { a: fromWord(one.scaleA), b: fromWord(one.scaleB) }
    const formats = { a: one.formatA, b: one.formatB }
    const codesA = castScaled(a, { scale: scales.a, format: formats.a })
    expect(codesA.toBits()).toEqual(key.u8(`${name}_a_codes`))
    const codesB = castScaled(b, { scale: scales.b, format: formats.b })
    expect(codesB.toBits()).toEqual(key.u8(`${name}_b_codes`))
    expect(castScaled(a, { scale: scales.a, format: formats.a, saturate: false }).toBits()).toEqual(
      key.u8(`${name}_a_codes_nonsaturating`),
    )
    const sums = matmul(cast(codesA as Tensor, 'float32'), cast(codesB as Tensor, 'float32'))
    expect(sums.toBits()).toEqual(key.u32(`${name}_acc`))
    expect(fp8Matmul(a, b, { scales, formats, dtype: 'float32' }).toBits()).toEqual(key.u32(`${name}_f32`))
    expect(fp8Matmul(a, b, { scales, formats }).toBits()).toEqual(key.u16(`${name}_bf16`))
  })

  const a = tensor([1.3, -2, 0.7, 300], { shape: [2, 2] })
  const b = tensor([0.1, 2, -3, 0.4], { shape: [2, 2] })
  const scales = { a: 1.5, b: 64 }
  it('grad of fp8Matmul goes against the rounded other operand', () => {
    const decoded = (x: Tensor<'float32'>, scale: number): Tensor =>
      mul(cast(castScaled(x, { scale }), 'float32'), Math.fround(1 / scale))
    const [da, db] = grad((x: typeof a, y: typeof a) => sum(fp8Matmul(x, y, { scales })), {
      argnums: [0, 1],
    })(a, b)
    const wantA = matmul(ones([2, 2]), transpose(decoded(b, 64)))
    const wantB = matmul(transpose(decoded(a, 1.5)), ones([2, 2]))
    for (let i = 0; i < 4; i++) {
      // A handful of float32 roundings: scales, inverses, products, one sum.
      expect(Math.abs(da.data[i]! - (wantA.data[i] as number))).toBeLessThanOrEqual(
        2 ** -20 * Math.abs(wantA.data[i]!),
      )
      expect(Math.abs(db.data[i]! - (wantB.data[i] as number))).toBeLessThanOrEqual(
        2 ** -20 * Math.abs(wantB.data[i]!),
      )
    }
  })

  it('grad of fp8Matmul with a scale for the cotangent rounds that too', () => {
    const g = tensor([1.1, 1, 1, 1], { shape: [2, 2] })
    const f = (x: typeof a, gradient?: number): Tensor =>
      sum(mul(fp8Matmul(x, b, { scales: gradient === undefined ? scales : { ...scales, gradient } }), g))
    const rounded = grad((x: typeof a) => f(x, 1))(a)
    const plain = grad((x: typeof a) => f(x))(a)
    // 1.1 is 1 in e5m2.
    const ofOnes = grad((x: typeof a) => sum(fp8Matmul(x, b, { scales })))(a)
    expect(rounded.toBits()).toEqual(ofOnes.toBits())
    expect(plain.toBits()).not.toEqual(ofOnes.toBits())
  })

  it('fp8Matmul compiles with scales as operands', () => {
    const f = (x: typeof a, s: Tensor<'float32'>): Tensor => fp8Matmul(x, b, { scales: { a: s, b: 64 } })
    const compiled = compile(f)
    for (const s of [1, 3]) expect(compiled(a, tensor(s)).toBits()).toEqual(f(a, tensor(s)).toBits())
  })
})

describe('blockScaledMatmul against an emulation in NumPy', () => {
  const key = new Columns('kernels/fp8_blocks')
  const cases = key.facts['cases'] as readonly { case: string; m: number; k: number; n: number }[]
  describe.each(cases)('$case', ({ case: name, m, k, n }) => {
    const x = fromBits(key.u16(`${name}_x`), { shape: [m, k], dtype: 'bfloat16' })
    const w = fromBits(key.u16(`${name}_w`), { shape: [k, n], dtype: 'bfloat16' })
    it.each(['float32', 'pow2'] as const)(
      'blockScaledMatmul and scaleTiles, scales %s, have its bits',
      (scale) => {
        const end = scale === 'pow2' ? '_pow2' : ''
        const tiles = {
          x: scaleTiles(x, { tile: [1, 128], scale }),
          w: scaleTiles(w, { tile: [128, 128], scale }),
        }
        for (const [operand, { codes, scales }] of Object.entries(tiles)) {
          expect(scales.toBits()).toEqual(key.u32(`${name}_${operand}_scales${end}`))
          expect(codes.toBits()).toEqual(key.u8(`${name}_${operand}_codes${end}`))
        }
        expect(blockScaledMatmul(x, w, { scale, dtype: 'float32' }).toBits()).toEqual(
          key.u32(`${name}_f32${end}`),
        )
        expect(blockScaledMatmul(x, w, { scale }).toBits()).toEqual(key.u16(`${name}_bf16${end}`))
      },
    )

    it.each(['h100', 'b200', 'ada'] as const)('blockScaledMatmul on %s is unitDot a block', (unit) => {
      const [xs, ws] = [scaleTiles(x, { tile: [1, 128] }), scaleTiles(w, { tile: [128, 128] })]
      const got = blockScaledMatmul(x, w, { unit, dtype: 'float32' })
      const columns = transpose(ws.codes) as Tensor<'float8_e4m3fn'>
      for (const [i, j] of [
        [0, 0],
        [m - 1, n - 1],
        [m >> 1, n >> 1],
      ] as const) {
        let total = 0
        for (let from = 0; from < k; from += 128) {
          const to = Math.min(from + 128, k)
          const cut = (codes: Tensor, row: number): Tensor<'float8_e4m3fn'> =>
            slice(codes, [
              [row, row + 1],
              [from, to],
            ]) as Tensor<'float8_e4m3fn'>
          const part = unitDot(cut(xs.codes, i), cut(columns, j), { unit }).item()
          const block = from / 128
          const both = Math.fround(
            (xs.scales.toNested() as number[][])[i]![block]! *
              (ws.scales.toNested() as number[][])[block]![Math.floor(j / 128)]!,
          )
          total = Math.fround(total + Math.fround(part * both))
        }
        expect(got.data[i * n + j]).toBe(total)
      }
    })
  })

  const x = tensor([1, 2, 3, 4, 5, 6], { shape: [2, 3] })
  const w = tensor([7, 8, 9, 10, 11, 12.3], { shape: [3, 2] })
  it("grad of blockScaledMatmul with gradient: 'float32' goes against the rounded other operand", () => {
    const f = (u: typeof x, v: typeof x): Tensor =>
      sum(blockScaledMatmul(u, v, { block: 2, gradient: 'float32' }))
    const [dx, dw] = grad(f, { argnums: [0, 1] })(x, w)
    const tiled = (y: typeof x, tile: readonly [number, number]): number[] => {
      const { codes, scales } = scaleTiles(y, { tile })
      const across = scales.shape[1]!
      return [...codes.toNumbers()].map((code, i) => {
        const [row, column] = [Math.floor(i / y.shape[1]!), i % y.shape[1]!]
        return Math.fround(
          code * scales.data[Math.floor(row / tile[0]) * across + Math.floor(column / tile[1])]!,
        )
      })
    }
    const wide = tiled(w, [2, 2])
    expect([...dx.data.slice(0, 3)]).toEqual([0, 2, 4].map((i) => Math.fround(wide[i]! + wide[i + 1]!)))
    const rows = tiled(x, [1, 2])
    expect([dw.data[0], dw.data[2], dw.data[4]]).toEqual(
      [0, 1, 2].map((i) => Math.fround(rows[i]! + rows[i + 3]!)),
    )
  })

  it.each([
    ['as the operands are', {}],
    ['in e5m2', { gradient: { format: 'float8_e5m2' } }],
    ['with powers of two', { scale: 'pow2' }],
    ['with powers of two for cotangents alone', { gradient: { scale: 'pow2' } }],
  ] as const)('grad of blockScaledMatmul casts cotangents in tiles along what is summed, %s', (_, how) => {
    const [m, k, n, block] = [5, 7, 6, 3]
    const drawn = (seed: number, shape: number[]): Tensor<'bfloat16'> =>
      cast(normal(keyOf(seed), shape), 'bfloat16')
    const [u, v, g] = [drawn(1, [m, k]), drawn(2, [k, n]), drawn(3, [m, n])]
    const { scale = 'float32', gradient = {} }: BlockScaledOptions = how
    const own = { scale, format: 'float8_e4m3fn' } as const
    const cut = { ...own, ...(gradient as GradientTiles) }
    /** Codes and scales of a matrix in tiles, by row and column. */
    const coded = (y: Tensor, tile: [number, number], of: typeof own | typeof cut) => {
      const { codes, scales } = scaleTiles(y, { tile, ...of })
      const [c, s] = [codes.toNested(), scales.toNested()] as [number[][], number[][]]
      return {
        code: (i: number, j: number): number => c[i]![j]!,
        scale: (i: number, j: number): number => s[Math.floor(i / tile[0])]![Math.floor(j / tile[1])]!,
      }
    }
    /** Sums of `length` terms, block by block, each rounded to float32: a code and a scale on either side. */
    type Side = (p: number) => readonly [code: number, scale: number]
    const summed = (length: number, a: Side, b: Side): number => {
      let total = 0
      for (let from = 0; from < length; from += block) {
        let sum = 0
        for (let p = from; p < Math.min(length, from + block); p++) sum = Math.fround(sum + a(p)[0] * b(p)[0])
        total = Math.fround(total + Math.fround(sum * Math.fround(a(from)[1] * b(from)[1])))
      }
      return round(total, 'bfloat16')
    }
    const [x, w] = [coded(u, [1, block], own), coded(v, [block, block], own)]
    const [across, down] = [coded(g, [1, block], cut), coded(g, [block, 1], cut)]
    const kept = Array.from({ length: m }, (_, i) =>
      Array.from({ length: k }, (_, j) => Math.fround(x.code(i, j) * x.scale(i, j))),
    )
    const again = coded(tensor(kept), [block, 1], own)
    const loss = (a: typeof u, b: typeof v): Tensor =>
      sum(mul(cast(blockScaledMatmul(a, b, { block, ...how }), 'float32'), cast(g, 'float32')))
    const [dx, dw] = grad(loss, { argnums: [0, 1] })(u, v)
    const at = (side: ReturnType<typeof coded>, i: number, j: number) =>
      [side.code(i, j), side.scale(i, j)] as const
    expect(dx.toNested()).toEqual(
      Array.from({ length: m }, (_, i) =>
        Array.from({ length: k }, (_, j) =>
          summed(
            n,
            (p) => at(across, i, p),
            (p) => at(w, j, p),
          ),
        ),
      ),
    )
    expect(dw.toNested()).toEqual(
      Array.from({ length: k }, (_, i) =>
        Array.from({ length: n }, (_, j) =>
          summed(
            m,
            (p) => at(again, p, i),
            (p) => at(down, p, j),
          ),
        ),
      ),
    )
  })

  it('blockScaledMatmul on an H100 is biased toward zero on positive data, float32 is not', () => {
    const k = 4096
    const data = Array.from({ length: k }, (_, i) => 1 + ((i * 37) % 97) / 97)
    const [u, v] = [tensor(data, { shape: [1, k] }), tensor(data, { shape: [k, 1] })]
    const exact = blockScaledMatmul(u, v).item()
    const promoted = blockScaledMatmul(u, v, { unit: 'h100' }).item()
    const never = blockScaledMatmul(u, v, { unit: 'h100', block: k }).item()
    const loss = (value: number): number => (exact - value) / exact
    expect(loss(promoted)).toBeGreaterThan(0)
    expect(loss(promoted)).toBeLessThan(0.002)
    expect(loss(never)).toBeGreaterThan(0.005)
  })
})

describe('fp8, wrong arguments', () => {
  const a = tensor([[1]])
  const wrong: readonly [() => unknown, string][] = [
    [
      () => delayedScale({ format: 'float8_e8m0fnu' }),
      'delayedScale: has neither a sign nor 0 [float8_e8m0fnu]',
    ],
    [() => delayedScale({ format: 'float16' }), 'delayedScale: not a format of 8 bits or fewer [float16]'],
    [
      () => delayedScale({ format: 'fp8' as FormatName }),
      'delayedScale: no such format, did you mean float8_e4m3fn [fp8]',
    ],
    [() => delayedScale({ history: 0 }), 'delayedScale: history is not a whole number, 1 or more [0]'],
    [() => fp8Matmul(a, a, { scales: { a: 0, b: 1 } }), 'fp8Matmul: scale a is not above 0 [0]'],
    [
      () => fp8Matmul(a, a, {} as { scales: { a: number; b: number } }),
      'fp8Matmul: option scales is missing',
    ],
    [
      () => blockScaledMatmul(a, a, { block: 0 }),
      'blockScaledMatmul: block is not a whole number, 1 or more [0]',
    ],
    [
      () => blockScaledMatmul(a, a, { unit: 'a100' }),
      'blockScaledMatmul: a100 takes no float8_e4m3fn, it takes float16, bfloat16, tf32 [float8_e4m3fn]',
    ],
    [
      () => blockScaledMatmul(a, a, { unit: 'h10' as 'h100' }),
      'blockScaledMatmul: unknown unit, did you mean h100 [h10]',
    ],
    [
      () => blockScaledMatmul(a, a, { gradient: { formats: 'float8_e5m2' } as GradientTiles }),
      'blockScaledMatmul: gradient: unknown option, did you mean format [formats]',
    ],
    [
      () => fp8Matmul(a, a, { scales: { a: 1, b: 1 }, formats: { gradient: 'float8_e5m2' } }),
      'fp8Matmul: a format of cotangents needs scales.gradient [float8_e5m2]',
    ],
    [() => scaleTiles(a, { tile: [0, 1] }), 'scaleTiles: tile is not a whole number, 1 or more [0]'],
    [
      () => blockScaledMatmul(cast(a, 'float64'), cast(a, 'float64')),
      'blockScaledMatmul: needs a float that float32 holds, cast first [float64]',
    ],
    [
      () => fp8Matmul(cast(a, 'float64'), cast(a, 'float64'), { scales: { a: 1, b: 1 } }),
      'fp8Matmul: scales are float32, cast to it first [float64]',
    ],
  ]
  it.each(wrong)('%s says what is wrong', (call, message) => expect(call).toThrow(message))
})
