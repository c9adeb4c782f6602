import { compareRuns } from 'tpu-toolkit/precision'
import { key, normal, split, uniform } from 'tpu-toolkit/random'
import {
  add,
  arange,
  cast,
  div,
  exp,
  type FloatDType,
  greater,
  log,
  matmul,
  max,
  mean,
  mul,
  type Order,
  reshape,
  sqrt,
  square,
  sub,
  sum,
  type Tensor,
  tensor,
  transpose,
  where,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

type Weights = Record<'x' | 'q' | 'k' | 'v' | 'o' | 'gain', Tensor>

/** What may be changed in the block: a bug, or an order that is as good. */
interface Variant {
  readonly eps?: number
  readonly scale?: number
  readonly maskOffset?: number
  readonly transposed?: boolean
  readonly narrow?: boolean
  readonly forgottenMax?: boolean
  /** Of the sums and means. */
  readonly order?: Order
  /** Of the matrix products. */
  readonly products?: Order
}

/** A layer norm, causal attention of one head, and a loss: 5 positions of width 8. */
const block =
  ({
    eps = 1e-5,
    scale = 8 ** -0.5,
    maskOffset = 0,
    transposed,
    narrow,
    forgottenMax,
    order = 'sequential',
    products = 'sequential',
  }: Variant = {}) =>
  ({ x, q, k, v, o, gain }: Weights): Tensor => {
    const along = { axis: -1, keepDims: true, order } as const
    const middle = mean(x, along)
    const centred = sub(x, middle)
    const spread = sqrt(add(mean(square(centred), along), eps))
    const normed = mul(div(centred, spread), gain)
    const [queries, keys, values] = [q, k, v].map((w) => matmul(normed, w, { order: products })) as [
      Tensor,
      Tensor,
      Tensor,
    ]
    const scores = mul(matmul(queries, transpose(keys, [1, 0]), { order: products }), scale)
    const rows = reshape(arange(0, 5, { dtype: 'int32' }), [5, 1])
    const columns = arange(0, 5, { dtype: 'int32' })
    const masked = where(greater(columns, add(rows, maskOffset)), tensor(-1e4, { dtype: x.dtype }), scores)
    const narrowed = narrow ? cast(cast(masked, 'float8_e4m3fn'), x.dtype) : masked
    const powers = exp(forgottenMax ? narrowed : sub(narrowed, max(narrowed, { axis: -1, keepDims: true })))
    const shares = div(powers, sum(powers, along))
    const mixed = matmul(shares, values, { order: products })
    const out = add(matmul(mixed, transposed ? transpose(o, [1, 0]) : o, { order: products }), x)
    return log(add(mean(square(out), { order }), 1))
  }

function weights(seed: number, dtype: FloatDType): Weights {
  const keys = split(key(seed), 6)
  const drawn = (i: number, shape: number[], by = 0.4): Tensor =>
    cast(
      tensor(
        normal(keys[i]!, shape[0]! * (shape[1] ?? 1)).map((value) => value * by),
        { shape },
      ),
      dtype,
    )
  return {
    x: drawn(0, [5, 8], 1),
    q: drawn(1, [8, 8]),
    k: drawn(2, [8, 8]),
    v: drawn(3, [8, 8]),
    o: drawn(4, [8, 8]),
    gain: cast(tensor(uniform(keys[5]!, 8).map((value) => value + 0.5)), dtype),
  }
}

/** A bug, and the operations one of which has to be named. */
const bugs: readonly (readonly [name: string, variant: Variant, named: RegExp])[] = [
  ['another epsilon', { eps: 1e-2 }, /^(constant|add#0)$/],
  ['another scale', { scale: 0.5 }, /^(constant|mul#1)$/],
  ['a mask off by one', { maskOffset: 1 }, /^(add#1|constant|greater#0)$/],
  ['a transposed operand', { transposed: true }, /^(transpose#1|matmul#5)$/],
  ['a cast that is too narrow', { narrow: true }, /^cast#\d$/],
]
const dtypes = ['float32', 'bfloat16'] as const
const orders: readonly Order[] = ['pairwise', 'kahan', 'associative', { blocked: 4 }, { windowed: 4 }]
const seeds = Array.from({ length: 10 }, (_, i) => i)

describe('compareRuns', () => {
  it.each(bugs)('finds %s at its operation, in 20 programs', (_, variant, named) => {
    for (const dtype of dtypes) {
      for (const seed of seeds) {
        const found = compareRuns(block(), block(variant), weights(seed, dtype), { sites: false })
        expect(found.verdict).toBe('another computation')
        expect((found.first!.b ?? found.first!.a)!.name).toMatch(named)
      }
    }
  })

  it.each(orders)('calls order %j of the sums no other computation, in 20 programs', (order) => {
    for (const dtype of dtypes) {
      for (const seed of seeds) {
        const products = order === 'kahan' || order === 'pairwise' ? order : 'sequential'
        const found = compareRuns(block(), block({ order, products }), weights(seed, dtype), { sites: false })
        expect([found.verdict, String(found.first?.what)]).not.toContain('another computation')
      }
    }
  })

  it('calls programs with the same bits equal', () => {
    const found = compareRuns(block(), block(), weights(1, 'float32'))
    expect([found.verdict, found.first, found.differences]).toEqual(['equal', undefined, []])
    expect(String(found)).toMatch(/^equal: \d+ operations compared, 0 differ/)
  })

  it('names the operation that only one of the runs has, and its source line', () => {
    const found = compareRuns(block(), block({ forgottenMax: true }), weights(1, 'float32'))
    expect(found.first).toMatchObject({ what: 'only the first run has it', b: undefined })
    expect(found.first!.a!.site).toMatch(/^compareRuns\.test\.ts:\d+:\d+$/)
  })

  it('reports an infinity where the exact result is finite', () => {
    const safe = (x: Tensor): Tensor => mul(x, 2)
    const other = (x: Tensor): Tensor => mul(x, 4)
    const found = compareRuns(safe, other, tensor([30000], { dtype: 'float16' }))
    expect(found.verdict).toBe('another computation')
  })

  it('of empty tensors is equal', () => {
    expect(
      compareRuns(
        (x) => mul(x, 2),
        (x) => mul(x, 2),
        tensor([]),
      ).verdict,
    ).toBe('equal')
  })

  it('refuses what is no function, and unknown options', () => {
    expect(() => compareRuns(undefined as never, block(), weights(1, 'float32'))).toThrow(
      'compareRuns: f is not a function',
    )
    expect(() => compareRuns(block(), block(), weights(1, 'float32'), { site: true } as never)).toThrow(
      'did you mean sites',
    )
  })
})
