import { naiveMean, naiveSum } from 'tpu-toolkit/numerics'
import { key, normal } from 'tpu-toolkit/random'
import {
  cast,
  cumsum,
  mean,
  ones,
  reshape,
  type ScanOptions,
  slice,
  sum,
  type Tensor,
  tensor,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { bfloat16, hexOf, readKey } from '../support/reductionKeys.js'

interface OrderKeys {
  readonly lengths: readonly number[]
  readonly inputs_bits: Record<string, string>
  readonly cumsum_bits_n4096: Record<string, Record<string, string>>
  readonly by_length_bits: Record<string, Record<string, (string | null)[]>>
}

const keys = readKey<OrderKeys>('reduce_orders')
const inputs = Object.keys(keys.inputs_bits)
type Op = (x: Tensor<'bfloat16'>) => Tensor<'bfloat16'>

const scans: Record<string, Op> = {
  numpy_mldtypes_sequential: (x) => cumsum(x),
  jnp_cumsum_rows16: (x) => cumsum(x, { order: { blocked: 16 } }),
  torch_cumsum: (x) => cumsum(x, { accumulate: 'float32' }),
  associative_scan: (x) => cumsum(x, { order: 'associative' }),
  kahan: (x) => cumsum(x, { order: 'kahan' }),
  neumaier: (x) => cumsum(x, { order: 'neumaier' }),
  f32_accumulate_cast: (x) => cumsum(x, { accumulate: 'float32' }),
}

const last = (x: Tensor<'bfloat16'>): Tensor<'bfloat16'> => slice(x, [[-1, null]])

const byLength: Record<string, Op[]> = {
  jnp_cumsum_last: [
    (x) => last(cumsum(x, { order: { blocked: 16 } })),
    (x) => naiveSum(x, { order: { blocked: 16 } }),
  ],
  jnp_sum: [(x) => sum(x), (x) => sum(x, { accumulate: 'float32' })],
  jnp_mean: [(x) => mean(x), (x) => mean(x, { accumulate: 'float32' })],
  lax_reduce_sum: [(x) => naiveSum(x, { order: { windowed: 32 } })],
  torch_sum: [(x) => sum(x, { accumulate: 'float64' })],
  torch_mean: [(x) => mean(x, { accumulate: 'float64' })],
  np_sum: [(x) => naiveSum(x), (x) => sum(x, { accumulate: x.dtype }), (x) => last(cumsum(x))],
  np_mean: [(x) => naiveMean(x), (x) => mean(x, { accumulate: x.dtype })],
  pair_last: [(x) => naiveSum(x, { order: 'pairwise' }), (x) => last(cumsum(x, { order: 'pairwise' }))],
  assoc_last: [
    (x) => naiveSum(x, { order: 'associative' }),
    (x) => last(cumsum(x, { order: 'associative' })),
  ],
}

describe.each(inputs)('orders of bfloat16 sums on %s', (name) => {
  const whole = bfloat16(keys.inputs_bits[name]!)

  it('the key holds no column without its order here', () => {
    expect(Object.keys(keys.cumsum_bits_n4096[name]!)).toEqual(Object.keys(scans))
    expect(Object.keys(keys.by_length_bits[name]!)).toEqual(Object.keys(byLength))
  })

  it.each(Object.entries(scans))('cumsum, 4,096 outputs, equals %s code by code', (column, scan) => {
    expect(hexOf(scan(whole))).toBe(keys.cumsum_bits_n4096[name]![column])
  })

  it.each(Object.entries(byLength))('equals %s at every one of 302 lengths', (column, ops) => {
    const expected = keys.by_length_bits[name]![column]!
    const sampled = keys.lengths.flatMap((n, i) => (expected[i] === null ? [] : [{ n, code: expected[i] }]))
    expect(sampled.length).toBeGreaterThan(70)
    for (const op of ops) {
      expect(sampled.map(({ n }) => ({ n, code: hexOf(op(slice(whole, [[0, n]]))) }))).toEqual(sampled)
    }
  })
})

describe('sums of the dot key', () => {
  const columns = new Columns('formats/dot_bfloat16')
  const cases = columns.facts['cases'] as { kind: string; n: number; offset: number }[]
  const a = columns.u16('a')
  const terms = cases.map(({ n, offset }) => bfloat16(a.slice(offset, offset + n)))

  it.each([
    ['sum_seq_f32_bf16', 'sequential', 'float32'],
    ['sum_seq_bf16', 'sequential', 'bfloat16'],
    ['sum_pair_f32_bf16', 'pairwise', 'float32'],
  ] as const)('%s is the %s order in %s, specials included', (column, order, accumulate) => {
    const codes = terms.map((x) => sum(x, { order, accumulate }).toBits()[0])
    expect(codes).toEqual([...columns.u16(column)])
  })

  it.each([
    ['sum_seq_f32', 'sequential'],
    ['sum_pair_f32', 'pairwise'],
  ] as const)('%s is the %s order of the float32 values', (column, order) => {
    const bits = terms.map((x) => sum(cast(x, 'float32'), { order }).toBits()[0])
    expect(bits).toEqual([...columns.u32(column)])
  })
})

describe('the stalls of bfloat16', () => {
  const long = ones([2000], { dtype: 'bfloat16' })

  it('naiveSum(ones) stops at 256, by Neumaier at 512, by Kahan nowhere, sum(ones) nowhere', () => {
    expect(sum(long).item()).toBe(2000)
    expect(naiveSum(long).item()).toBe(256)
    expect(naiveSum(long, { order: 'neumaier' }).item()).toBe(512)
    expect(naiveSum(long, { order: 'kahan' }).item()).toBe(2000)
    expect(naiveSum(ones([65_536], { dtype: 'bfloat16' }), { order: 'kahan' }).item()).toBe(65_536)
  })

  it('128 times 0.1 is 13.5625 left to right, 12.9375 in the order of XLA CPU, 12.8125 associative', () => {
    const tenths = tensor(new Float64Array(128).fill(0.1), { dtype: 'bfloat16' })
    const end = (order: ScanOptions<'bfloat16'>) => cumsum(tenths, order).toNumbers().at(-1)
    expect(end({})).toBe(13.5625)
    expect(end({ order: { blocked: 16 } })).toBe(12.9375)
    expect(end({ order: 'associative' })).toBe(12.8125)
  })

  it('pairwise is not prefix-stable, the other scans are', () => {
    const x = bfloat16(keys.inputs_bits['normal']!)
    const orders = ['sequential', 'kahan', 'neumaier', 'associative', { blocked: 16 }] as const
    for (const order of orders) {
      expect(hexOf(cumsum(slice(x, [[0, 1000]]), { order }))).toBe(
        hexOf(slice(cumsum(x, { order }), [[0, 1000]])),
      )
    }
    expect(hexOf(cumsum(slice(x, [[0, 1000]]), { order: 'pairwise' }))).not.toBe(
      hexOf(slice(cumsum(x, { order: 'pairwise' }), [[0, 1000]])),
    )
  })
})

describe.each(['sequential', 'kahan', 'neumaier'] as const)('many lanes at once, order %s', (order) => {
  // Of as many binades as rounding needs to lose something at every step; one lane alone goes another way.
  const values = normal(key(5), 3 * 40 * 50).map((v, i) => v * 2 ** (i % 9))
  const x = tensor(values, { shape: [3, 40, 50] })
  const lane = (y: Tensor, a: number, b: number | undefined, c: number | undefined): Tensor => {
    const from = [a, b ?? 0, c ?? 0]
    const to = [a + 1, b === undefined ? 40 : b + 1, c === undefined ? 50 : c + 1]
    return reshape(
      slice(
        y,
        from.map((start, i) => [start, to[i]!] as const),
      ),
      [-1],
    )
  }

  const one = (y: Tensor, a: number, i: number): number =>
    slice(y, [
      [a, a + 1],
      [i, i + 1],
    ]).item()

  it.each(['float32', 'bfloat16'] as const)('sum(%s) along each axis adds lanes as alone', (dtype) => {
    const y = cast(x, dtype)
    const options = { order, accumulate: 'float32' } as const
    const rows = sum(y, { axis: 2, ...options })
    const columns = sum(y, { axis: 1, ...options })
    for (const [a, i] of [
      [0, 0],
      [1, 17],
      [2, 39],
    ] as const) {
      expect(one(rows, a, i)).toBe(sum(lane(y, a, i, undefined), options).item())
      expect(one(columns, a, i)).toBe(sum(lane(y, a, undefined, i), options).item())
    }
  })

  it('cumsum(x) along each axis has the running sums of lanes alone', () => {
    const [rows, columns] = [cumsum(x, { axis: 2, order }), cumsum(x, { axis: 1, order })]
    for (const i of [0, 17, 39]) {
      expect(lane(rows, 1, i, undefined).toNumbers()).toEqual(
        cumsum(lane(x, 1, i, undefined), { order }).toNumbers(),
      )
      expect(lane(columns, 1, undefined, i).toNumbers()).toEqual(
        cumsum(lane(x, 1, undefined, i), { order }).toNumbers(),
      )
    }
  })
})
