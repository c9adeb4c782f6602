import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import {
  allGather,
  allReduce,
  collectiveTraffic,
  type ReduceOrder,
  reduceScatter,
} from 'tpu-toolkit/collectives'
import { errorBound } from 'tpu-toolkit/numerics'
import { cast, type FloatDType, fromBits, type Tensor, tensor, zeros } from 'tpu-toolkit/tensor'
import { leavesOf } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

interface Result {
  readonly order: ReduceOrder
  readonly op: 'sum' | 'mean'
  readonly accumulate: FloatDType
  readonly result: string
  readonly steps?: number
  readonly links?: readonly (readonly [number, number, number])[]
}
interface Case {
  readonly dtype: FloatDType
  readonly replicas: readonly string[]
  readonly results: readonly Result[]
}

const keyFile = new URL('../golden/collectives/all_reduce.json', import.meta.url)
const cases = JSON.parse(readFileSync(keyFile, 'utf8')) as readonly Case[]
const orders: readonly ReduceOrder[] = ['ring', 'tree', 'all-to-all']

const digits = (dtype: FloatDType): number => (dtype === 'float32' ? 8 : dtype.startsWith('float8') ? 2 : 4)

function read(text: string, dtype: FloatDType): Tensor {
  const width = digits(dtype)
  const codes = text.match(new RegExp(`.{${width}}`, 'g')) ?? []
  const nan = { bfloat16: 0x7fc0, float16: 0x7e00, float8_e4m3fn: 0x7f, float32: 0x7fc00000 }[
    dtype as 'float16'
  ]
  return fromBits(
    codes.map((code) => (code.startsWith('-') ? nan : Number.parseInt(code, 16))),
    { dtype, shape: [codes.length] },
  )
}

function written(x: Tensor): string {
  const width = digits(x.dtype as FloatDType)
  const values = x.toNumbers()
  return Array.from(x.toBits() as Uint32Array, (code, i) =>
    Number.isNaN(values[i]) ? '-'.repeat(width) : code.toString(16).padStart(width, '0'),
  ).join('')
}

describe('allReduce, against a simulation that passes messages', () => {
  it.each(orders)('%s has the bits that every replica of the key ends with', (order) => {
    let compared = 0
    for (const { dtype, replicas, results } of cases) {
      const tensors = replicas.map((text) => read(text, dtype))
      for (const { op, accumulate, result } of results.filter((one) => one.order === order)) {
        expect(
          written(allReduce(tensors, { order, op, accumulate })),
          `${dtype} ${replicas.length} ${op}`,
        ).toBe(result)
        compared += 1
      }
    }
    expect(compared).toBeGreaterThan(150)
  })

  it('collectiveTraffic has its steps and the bytes of every link', () => {
    let compared = 0
    for (const { dtype, replicas, results } of cases) {
      for (const { order, accumulate, steps, links } of results) {
        if (!links) continue
        const elements = replicas[0]!.length / digits(dtype)
        const found = collectiveTraffic({ order, replicas: replicas.length, elements, dtype, accumulate })
        expect(found.links.map(({ from, to, bytes }) => [from, to, bytes])).toEqual(links)
        expect(found.steps).toBe(steps)
        compared += 1
      }
    }
    expect(compared).toBeGreaterThan(50)
  })

  it.each(['ring', 'all-to-all'] as const)('%s is reduceScatter and then allGather', (order) => {
    for (const { dtype, replicas, results } of cases) {
      const tensors = replicas.map((text) => read(text, dtype))
      for (const { op, accumulate, result } of results.filter((one) => one.order === order)) {
        const shards = reduceScatter(tensors, { order, op, accumulate })
        const sizes = shards.map((shard) => leavesOf(shard)[0]!.size)
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
        expect(written(leavesOf(allGather(shards))[0]!)).toBe(result)
      }
    }
  })
})

const u = { bfloat16: 2 ** -8, float16: 2 ** -11, float32: 2 ** -24 } as const
const float = fc.float({ noNaN: true, min: -1000, max: 1000 })

describe(`allReduce (seed ${seed})`, () => {
  const groups = fc
    .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 12 }))
    .chain(([count, n]) =>
      fc.array(fc.array(float, { minLength: n, maxLength: n }), { minLength: count, maxLength: count }),
    )

  it.each(
    orders.flatMap((order) =>
      (['bfloat16', 'float16'] as const).flatMap((dtype) =>
        [dtype, 'float32' as const].map((accumulate) => [order, dtype, accumulate] as const),
      ),
    ),
  )('%s in %s, sums in %s, keeps the a-priori bound of its depth', (order, dtype, accumulate) => {
    fc.assert(
      fc.property(groups, (rows) => {
        const replicas = rows.map((row) => tensor(row, { dtype }))
        const values = replicas.map((x) => x.toNumbers())
        const found = allReduce(replicas, { order, accumulate }).toNumbers()
        const depth = order === 'tree' ? Math.ceil(Math.log2(rows.length)) : rows.length - 1
        found.forEach((total, i) => {
          const exact = values.reduce((sum, row) => sum + row[i]!, 0)
          const sumAbs = values.reduce((sum, row) => sum + Math.abs(row[i]!), 0)
          const theory = errorBound(
            'sum',
            { n: rows.length, dtype, accumulate, order: order === 'tree' ? 'pairwise' : 'sequential' },
            { sumAbs },
          )
          expect(Math.abs(total - exact)).toBeLessThanOrEqual(theory.bound)
          // The formula itself: d u S / (1 - d u) for the sum, then one rounding, subnormals aside.
          const d = depth * u[accumulate]
          const growth = (d / (1 - d)) * sumAbs
          const last = accumulate === dtype ? 0 : u[dtype] * (Math.abs(exact) + growth)
          expect(Math.abs(total - exact)).toBeLessThanOrEqual(growth + last + 2 ** -24)
        })
      }),
      { seed, numRuns: 60 },
    )
  })

  it.each(orders)('%s of one replica gives back its bits, the mean too', (order) => {
    fc.assert(
      fc.property(fc.uint32Array({ maxLength: 20 }), (codes) => {
        const x = fromBits(codes, { dtype: 'float32', shape: [codes.length] })
        for (const op of ['sum', 'mean'] as const) {
          expect(written(allReduce([x], { order, op }))).toBe(written(x))
        }
      }),
      { seed },
    )
  })

  it('in float64 all orders agree on sums of integers, whatever the shapes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.integer({ min: -1e6, max: 1e6 }), { minLength: 6, maxLength: 6 }), {
          minLength: 1,
          maxLength: 9,
        }),
        (rows) => {
          const replicas = rows.map((row) => tensor(row, { dtype: 'float64', shape: [2, 3] }))
          const exact = rows[0]!.map((_, i) => rows.reduce((sum, row) => sum + row[i]!, 0) + 0)
          for (const order of orders) {
            const total = allReduce(replicas, { order })
            expect(total.shape).toEqual([2, 3])
            expect([...total.toNumbers()].map((x) => x + 0)).toEqual(exact)
          }
        },
      ),
      { seed },
    )
  })
})

describe('allReduce, by hand', () => {
  const ones = (count: number) => Array.from({ length: count }, () => tensor([1], { dtype: 'bfloat16' }))
  const total = (count: number, order: ReduceOrder, accumulate?: FloatDType) =>
    allReduce(ones(count), accumulate ? { order, accumulate } : { order }).item()

  it('bfloat16 ones stop at 256 in a ring, not in a tree, not with float32 sums', () => {
    expect(total(1000, 'ring')).toBe(256)
    expect(total(1000, 'all-to-all')).toBe(256)
    expect(total(1000, 'tree')).toBe(1000)
    expect(total(1000, 'ring', 'float32')).toBe(1000)
  })

  it('the chunks of a ring are added in orders of their own', () => {
    const replicas = [256, 1, 1].map((x) => tensor([x, x, x], { dtype: 'bfloat16' }))
    expect(allReduce(replicas, { order: 'ring' }).toNested()).toEqual([258, 256, 256])
    expect(allReduce(replicas, { order: 'all-to-all' }).toNested()).toEqual([256, 256, 256])
  })

  it('the mean divides by the count itself, which bfloat16 does not have', () => {
    const mean = allReduce(
      ones(257).map((x) => cast(x, 'bfloat16')),
      { order: 'tree', op: 'mean', accumulate: 'float32' },
    )
    expect(mean.item()).toBe(1)
  })

  it('reduces every leaf of a tree, in its own dtype, 0-d and empty ones too', () => {
    const replica = (x: number) => ({
      w: tensor([x, 2 * x], { dtype: 'bfloat16' }),
      more: [tensor(x), zeros([0, 3], { dtype: 'float16' })],
    })
    const { w, more } = allReduce([replica(1), replica(10), replica(100)], { order: 'ring' })
    expect([w.dtype, w.toNested(), more[0]!.item(), more[1]!.shape]).toEqual([
      'bfloat16',
      [111, 222],
      111,
      [0, 3],
    ])
  })

  it('leaves its replicas as they are', () => {
    const replicas = ones(4)
    for (const order of orders) allReduce(replicas, { order })
    expect(replicas.map((x) => x.item())).toEqual([1, 1, 1, 1])
  })
})

describe('reduceScatter and allGather', () => {
  it('give replica c chunk c, the first ones longer where the replicas do not divide', () => {
    const replicas = [0, 1, 2].map(() =>
      tensor([
        [1, 2],
        [3, 4],
        [5, 6],
        [7, 8],
      ]),
    )
    const shards = reduceScatter(replicas, { order: 'ring' }) as Tensor[]
    expect(shards.map((x) => x.toNested())).toEqual([
      [3, 6, 9],
      [12, 15, 18],
      [21, 24],
    ])
    expect(allGather(shards).toNested()).toEqual([3, 6, 9, 12, 15, 18, 21, 24])
  })
  it('leave replicas past the last element without any', () => {
    const shards = reduceScatter([tensor([1]), tensor([2]), tensor([3])], { order: 'all-to-all' }) as Tensor[]
    expect(shards.map((x) => x.toNested())).toEqual([[6], [], []])
  })
})

describe('collectives, mistakes', () => {
  const x = tensor([1, 2])
  const ring = { order: 'ring' } as const
  it.each([
    [() => allReduce([], ring), RangeError, 'allReduce: needs an array of at least one replica [0]'],
    [
      () => allReduce(x as never, ring),
      RangeError,
      'allReduce: needs an array of at least one replica [object]',
    ],
    [() => allGather([]), RangeError, 'allGather: needs an array of at least one replica [0]'],
    [() => allGather([{ w: x }, { v: x }]), RangeError, 'allGather: trees differ at v [nothing, leaf]'],
    [() => allGather([[x], [tensor(1)]]), RangeError, 'allGather: needs one dimension at 0 []'],
    [
      () => allGather([x, tensor([1, 2], { dtype: 'bfloat16' })]),
      TypeError,
      'allGather: dtypes differ at the root, cast one of them [float32 and bfloat16]',
    ],
    [
      () => allReduce([x], { order: 'star' as never }),
      RangeError,
      'allReduce: unknown order, there are ring, tree, all-to-all, nccl-ring, nccl-tree [star]',
    ],
    [
      () => reduceScatter([x], { order: 'tree' as never }),
      RangeError,
      'reduceScatter: unknown order, there are ring, all-to-all [tree]',
    ],
    [
      () => allReduce([x], { ...ring, op: 'max' as never }),
      RangeError,
      'allReduce: unknown op, there are sum, mean [max]',
    ],
    [
      () => allReduce([x], { ...ring, accumulate: 'int32' as never }),
      TypeError,
      'allReduce: accumulate is no floating-point dtype [int32]',
    ],
    [
      () => allReduce([{ w: x }, { v: x }], ring as never),
      RangeError,
      'allReduce: trees differ at v [nothing, leaf]',
    ],
    [
      () => allReduce([[x], [tensor([1, 2, 3])]], ring),
      RangeError,
      'allReduce: shapes differ at 0 [2 and 3]',
    ],
    [
      () => allReduce([x, tensor([1, 2], { dtype: 'bfloat16' })], ring),
      TypeError,
      'allReduce: dtypes differ at the root, cast one of them [float32 and bfloat16]',
    ],
    [
      () => allReduce([tensor([1], { dtype: 'int32' })], ring),
      TypeError,
      'allReduce: needs a floating-point dtype at the root, cast first [int32]',
    ],
    [
      () => collectiveTraffic({ order: 'mesh' as never, replicas: 1, elements: 1 }),
      RangeError,
      'collectiveTraffic: unknown order, there are ring, tree, all-to-all [mesh]',
    ],
    [
      () => collectiveTraffic({ ...ring, replicas: 0, elements: 1 }),
      RangeError,
      'collectiveTraffic: replicas of order ring is not a whole number from 1 to 1048576 [0]',
    ],
    [
      () => collectiveTraffic({ ...ring, replicas: 2, elements: 1.5 }),
      RangeError,
      'collectiveTraffic: elements is not a whole number, 0 or more [1.5]',
    ],
    [
      () => collectiveTraffic({ ...ring, replicas: 2, elements: 1, dtype: 'bool' as never }),
      TypeError,
      'collectiveTraffic: dtype is no floating-point dtype [bool]',
    ],
  ])('%#: %s', (call, kind, text) => {
    expect(call).toThrow(new kind(text))
    expect(call).toThrow(kind)
  })
})

describe('collectiveTraffic', () => {
  const at = (order: ReduceOrder, replicas: number, accumulate: FloatDType = 'bfloat16') =>
    collectiveTraffic({ order, replicas, elements: 2 ** 20, accumulate })

  it('a ring sends 2 (N - 1) / N of the bytes from every replica, the least an all-reduce can', () => {
    for (const replicas of [2, 4, 8, 16, 64]) {
      const { perReplica, perLink, steps } = at('ring', replicas)
      expect(perReplica).toBe((2 * 2 ** 21 * (replicas - 1)) / replicas)
      expect([perLink, steps]).toEqual([perReplica, 2 * (replicas - 1)])
    }
  })
  it('an all-to-all sends as much from every replica, over N - 1 links, and the same with float32 sums', () => {
    const { perReplica, perLink, steps, total } = at('all-to-all', 8)
    expect([perReplica, 7 * perLink, steps, total]).toEqual([
      at('ring', 8).perReplica,
      perReplica,
      2,
      8 * perReplica,
    ])
    expect(at('all-to-all', 8, 'float32').total).toBe(total)
    expect(at('ring', 8, 'float32').total).toBe(1.5 * total)
  })
  it('a tree sends everything up and down N - 1 edges in 2 ceil(log2 N) steps', () => {
    expect(at('tree', 6)).toMatchObject({ steps: 6, total: 2 * 5 * 2 ** 21, perLink: 2 ** 21 })
  })
  it('one replica sends nothing', () => {
    for (const order of orders) {
      expect(at(order, 1)).toEqual({ steps: 0, links: [], perLink: 0, perReplica: 0, total: 0 })
    }
  })
})
