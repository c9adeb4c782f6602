import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { allReduce, type NcclReduceOptions } from 'tpu-toolkit/collectives'
import { type FloatDType, fromBits, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

interface Case {
  readonly dtype: FloatDType
  readonly replicas: readonly string[]
  readonly results: readonly { readonly options: NcclReduceOptions; readonly result: string }[]
}

const file = new URL('../golden/collectives/nccl.json', import.meta.url)
const cases = JSON.parse(readFileSync(file, 'utf8')) as readonly Case[]
const width = (dtype: FloatDType): number => (dtype === 'float32' ? 8 : 4)

function read(text: string, dtype: FloatDType): Tensor {
  const codes = text.match(new RegExp(`.{${width(dtype)}}`, 'g'))!
  return fromBits(
    codes.map((code) => Number.parseInt(code, 16)),
    { dtype, shape: [codes.length] },
  )
}

const written = (x: Tensor): string =>
  Array.from(x.toBits() as Uint32Array, (code) =>
    code.toString(16).padStart(width(x.dtype as FloatDType), '0'),
  ).join('')

/** The options as a caller gives them: those of the other order are left out. */
const given = (options: NcclReduceOptions): NcclReduceOptions => {
  const { perNode, pattern, ...rest } = options
  if (options.order === 'nccl-ring') return rest
  return perNode === 1
    ? { ...rest, perNode }
    : { ...rest, ...(perNode && { perNode }), ...(pattern && { pattern }) }
}

describe('allReduce in the orders of NCCL, against ranks that run its loops', () => {
  it.each(['nccl-ring', 'nccl-tree'] as const)('%s has the bits of the key', (order) => {
    let compared = 0
    for (const { dtype, replicas, results } of cases) {
      const tensors = replicas.map((text) => read(text, dtype))
      for (const { options, result } of results.filter((one) => one.options.order === order)) {
        const label = `${dtype} ${replicas.length} ${JSON.stringify(options)}`
        expect(written(allReduce(tensors, given(options))), label).toBe(result)
        compared += 1
      }
    }
    expect(compared).toBeGreaterThan(200)
  })
})

describe('nccl-tree', () => {
  it('adds half of the elements along one tree, and half along its mirror image', () => {
    // Of 8 nodes 3 is a child of 2 in the first tree, so that 2^24 and -2^24 cancel before 6 is added; in the mirror image
    // 3 takes the sum that has 6 first. (The figure in trees.cc.)
    const values = [0, 0, 2 ** 24, -(2 ** 24), 0, 0, 0.5, 0]
    const replicas = values.map((x) => tensor(new Array<number>(8).fill(x)))
    const total = allReduce(replicas, { order: 'nccl-tree' })
    expect(total.toNested()).toEqual([0.5, 0.5, 0.5, 0.5, 0, 0, 0, 0])
    // Of four channels two have elements, and both go along the first tree.
    const four = allReduce(replicas, { order: 'nccl-tree', channels: 4 })
    expect(four.toNested()).toEqual(new Array<number>(8).fill(0.5))
  })

  it('a single node is a chain that ends with its first replica', () => {
    const replicas = [256, 1, 1, 1, 1].map((x) => tensor([x], { dtype: 'bfloat16' }))
    expect(allReduce(replicas, { order: 'nccl-tree', perNode: 5 }).item()).toBe(260)
    expect(allReduce([...replicas].reverse(), { order: 'nccl-tree', perNode: 5 }).item()).toBe(256)
  })

  it('adds a small tensor by the first tree alone, where a channel has large cells', () => {
    const replicas = Array.from({ length: 7 }, (_, r) =>
      tensor([2 ** r, 3 ** r, 5 ** r], { dtype: 'bfloat16' }),
    )
    const small = allReduce(replicas, { order: 'nccl-tree', cellBytes: 16384 })
    const one = allReduce(replicas, { order: 'nccl-tree', channels: 2, cellBytes: 2 ** 20 })
    expect(written(small)).toBe(written(one))
  })
})

describe(`nccl (seed ${seed})`, () => {
  const options = fc.oneof(
    fc.record({
      order: fc.constant('nccl-ring' as const),
      channels: fc.integer({ min: 1, max: 5 }),
      chunkBytes: fc.constantFrom(16, 32, 4096),
    }),
    fc.record({
      order: fc.constant('nccl-tree' as const),
      channels: fc.constantFrom(2, 4, 6),
      perNode: fc.constantFrom(1, 2, 4),
    }),
  )

  it('sums of integers are exact in float64, whatever the order, shape and channels', () => {
    fc.assert(
      fc.property(
        options,
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 1, max: 6 }),
        (how, n, groups) => {
          const replicas = Array.from({ length: 4 * groups }, (_, r) =>
            tensor(
              Array.from({ length: 2 * n }, (_, i) => (r + 1) * (i - 7)),
              { dtype: 'float64', shape: [n, 2] },
            ),
          )
          const total = allReduce(replicas, how)
          expect(total.shape).toEqual([n, 2])
          const factor = (4 * groups * (4 * groups + 1)) / 2
          expect([...total.toNumbers()].map((x) => x + 0)).toEqual(
            Array.from({ length: 2 * n }, (_, i) => factor * (i - 7) + 0),
          )
        },
      ),
      { seed, numRuns: 40 },
    )
  })

  it('one chunk a replica and one channel of a ring is the order ring, where 16 bytes divide', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 9 }).chain((count) =>
          fc.array(
            fc.array(fc.float({ noNaN: true, min: -9, max: 9 }), {
              minLength: 4 * count,
              maxLength: 4 * count,
            }),
            {
              minLength: count,
              maxLength: count,
            },
          ),
        ),
        (rows) => {
          const replicas = rows.map((row) => tensor(row))
          const ring = allReduce(replicas, { order: 'ring' })
          expect(written(allReduce(replicas, { order: 'nccl-ring' }))).toBe(written(ring))
        },
      ),
      { seed, numRuns: 40 },
    )
  })

  it('a mean multiplies each addend by 1/N, so that it cannot overflow, and rounds it', () => {
    const replicas = [3e38, 3e38, 3e38].map((x) => tensor([x]))
    expect(allReduce(replicas, { order: 'ring', op: 'mean' }).item()).toBe(Infinity)
    expect(allReduce(replicas, { order: 'nccl-ring', op: 'mean' }).item()).toBeLessThan(3.1e38)
    const ones = Array.from({ length: 3 }, () => tensor([1], { dtype: 'bfloat16' }))
    // 1/3 is 0.333984375 in bfloat16, and three of them are 1.001953125, which rounds to 1.
    expect(allReduce(ones, { order: 'nccl-ring', op: 'mean' }).item()).toBe(1)
    const tens = Array.from({ length: 10 }, () => tensor([1], { dtype: 'bfloat16' }))
    expect(allReduce(tens, { order: 'nccl-ring', op: 'mean' }).item()).not.toBe(1)
  })
})

describe('nccl, mistakes', () => {
  const x = tensor([1, 2])
  const four = [x, x, x, x]
  it.each([
    [
      () => allReduce([], { order: 'nccl-ring' }),
      RangeError,
      'allReduce: needs an array of at least one replica [0]',
    ],
    [
      () => allReduce(four, { order: 'nccl-tree', channels: 3 }),
      RangeError,
      'allReduce: a tree has an odd number of channels [3]',
    ],
    [
      () => allReduce(four, { order: 'nccl-tree', chunkBytes: 64 }),
      RangeError,
      'allReduce: order nccl-tree has no chunkBytes [64]',
    ],
    [
      () => allReduce(four, { order: 'nccl-ring', perNode: 2 }),
      RangeError,
      'allReduce: order nccl-ring has no perNode [2]',
    ],
    [
      () => allReduce(four, { order: 'nccl-tree', perNode: 3 }),
      RangeError,
      'allReduce: replicas do not fill nodes of 3 [4]',
    ],
    [
      () => allReduce(four, { order: 'nccl-tree', pattern: 'split' }),
      RangeError,
      'allReduce: a node of one replica has pattern tree [split]',
    ],
    [
      () => allReduce(four, { order: 'nccl-ring', chunkBytes: 24 }),
      RangeError,
      'allReduce: chunkBytes is no multiple of 16 [24]',
    ],
    [
      () => allReduce(four, { order: 'nccl-ring', rings: [[0, 1, 2, 2]] }),
      RangeError,
      'allReduce: a ring does not have each of 4 replicas once [0, 1, 2, 2]',
    ],
    [() => allReduce(four, { order: 'nccl-ring', rings: [] }), RangeError, 'allReduce: rings are empty []'],
    [
      () => allReduce(four, { order: 'nccl-ring', accumulate: 'float32' } as never),
      RangeError,
      'allReduce: unknown option, there are order, op, channels, chunkBytes, rings, cellBytes, perNode, pattern [accumulate]',
    ],
    [
      () => allReduce([tensor([1], { dtype: 'float8_e5m2' })], { order: 'nccl-ring' }),
      TypeError,
      "allReduce: NCCL's orders add bfloat16, float16, float32, float64, cast first [float8_e5m2]",
    ],
  ])('%#: %s', (call, kind, text) => {
    expect(call).toThrow(new kind(text))
    expect(call).toThrow(kind)
  })
})
