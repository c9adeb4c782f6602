import { abs, cast, div, matmul, max, mul, sub, type Tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { bfloat16, hexOf, readKey } from '../support/reductionKeys.js'

describe('matmul against the dot key', () => {
  const columns = new Columns('formats/dot_bfloat16')
  const cases = columns.facts['cases'] as { kind: string; n: number; offset: number }[]
  const pairs = cases.map(({ n, offset }) =>
    (['a', 'b'] as const).map((name) => bfloat16(columns.u16(name).slice(offset, offset + n))),
  ) as [Tensor<'bfloat16'>, Tensor<'bfloat16'>][]

  it.each([
    ['dot_seq_f32_bf16', 'sequential', 'float32'],
    ['dot_seq_bf16', 'sequential', 'bfloat16'],
    ['dot_pair_f32_bf16', 'pairwise', 'float32'],
  ] as const)('%s is order %s, accumulate %s, specials included', (column, order, accumulate) => {
    const codes = pairs.map(([a, b]) => matmul(a, b, { order, accumulate }).toBits()[0])
    expect(codes).toEqual([...columns.u16(column)])
  })

  it.each([
    ['dot_seq_f32', 'sequential'],
    ['dot_pair_f32', 'pairwise'],
  ] as const)(
    '%s is order %s of float32 operands, where products stay in the range of float32',
    (column, order) => {
      const inRange = pairs.flatMap(([a, b], i) => {
        const products = mul(cast(a, 'float64'), cast(b, 'float64')).toNumbers()
        return products.every((p) => !Number.isFinite(p) || p === Math.fround(p)) ? [i] : []
      })
      expect(inRange.length).toBeGreaterThanOrEqual(40)
      const bits = inRange.map((i) => {
        const [a, b] = pairs[i]!
        return matmul(cast(a, 'float32'), cast(b, 'float32'), { order }).toBits()[0]
      })
      expect(bits).toEqual(inRange.map((i) => columns.u32(column)[i]))
    },
  )
})

type Row = [
  input: string,
  K: number,
  ownError: number,
  castError: number,
  wideError: number,
  own: string,
  wide: string,
  p?: string,
  r?: string,
]

describe('matmul against dot_error', () => {
  const { rows } = readKey<{ rows: Row[] }>('dot_error')
  const stored = rows.filter((row) => row.length === 9)

  it('the key holds the operands of six cases, uniform and normal, K = 16, 32, 64', () => {
    expect(stored).toHaveLength(6)
  })

  it.each(stored)(
    '%s, K = %i: codes and errors are those recorded, in bfloat16 and float32',
    (_, K, ...rest) => {
      const [ownError, castError, wideError, own, wide, p, r] = rest
      const a = bfloat16(p!, [8, 1, K])
      const b = bfloat16(r!, [8, K, 1])
      const naive = matmul(a, b, { accumulate: 'bfloat16' })
      const stable = matmul(a, b)
      const float32 = matmul(cast(a, 'float32'), cast(b, 'float32'))
      expect(hexOf(naive)).toBe(own)
      expect(hexOf(float32, 8)).toBe(wide)
      expect(hexOf(stable)).toBe(hexOf(cast(float32, 'bfloat16')))

      // Float64 sums of exact products: off by less than K 2^-53, far below the errors of the key.
      const exact = matmul(cast(a, 'float64'), cast(b, 'float64'))
      const size = matmul(abs(cast(a, 'float64')), abs(cast(b, 'float64')))
      const worst = (values: Tensor): number =>
        max(div(abs(sub(cast(values, 'float64'), exact)), size)).item()
      for (const [values, error] of [
        [naive, ownError],
        [stable, castError],
        [float32, wideError],
      ] as const) {
        expect(Math.abs(worst(values) - error)).toBeLessThanOrEqual(2 * K * 2 ** -53)
      }
    },
  )
})
