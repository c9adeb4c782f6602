import fc from 'fast-check'
import { deviceMesh, type GroupOrder, type Sharded } from 'tpu-toolkit/collectives'
import { errorBound } from 'tpu-toolkit/numerics'
import { collectiveTime, mesh } from 'tpu-toolkit/sharding'
import { type DType, dtypeFacts, dtypes, fromBits, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { meshes, partsOf } from '../support/meshes.js'
import { seed } from '../support/seed.js'

type Spec = readonly (readonly string[])[]

/** Axes of a mesh dealt out over two dimensions, some to none, and sizes that divide. */
const layouts = meshes.chain((devices) =>
  fc
    .record({
      order: fc.shuffledSubarray([...devices.axisNames]),
      cuts: fc.array(fc.nat(2), { minLength: 3, maxLength: 3 }),
      times: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 2, maxLength: 2 }),
    })
    .map(({ order, cuts, times }) => {
      const spec: Spec = [0, 1].map((d) => order.filter((_, i) => cuts[i] === d))
      return { devices, spec, shape: spec.map((axes, d) => partsOf(devices, axes) * times[d]!) }
    }),
)

/** A tensor with all kinds of codes. */
function anyTensor(dtype: DType, shape: readonly number[], start: number): Tensor {
  const size = shape.reduce((n, length) => n * length, 1)
  const of = tensor([0], { dtype }).toBits()
  const most = dtype === 'bool' ? 2 : 2 ** Math.min(8 * of.BYTES_PER_ELEMENT, 32)
  const codes = Array.from(
    { length: size },
    (_, i) => (start + i * 40_503) % Math.min(most, 2 ** bitsOf(dtype)),
  )
  return fromBits(of instanceof BigUint64Array ? BigUint64Array.from(codes, BigInt) : codes, { dtype, shape })
}
const bitsOf = (dtype: DType): number => Math.min(32, dtypeFacts(dtype).bits)

const bits = (x: Tensor) => [x.dtype, ...x.shape, ...x.toBits()].join()

describe(`deviceMesh moves tensors (seed ${seed})`, () => {
  it('of every dtype: unshard(shard(x)) is x, bit for bit', () => {
    fc.assert(
      fc.property(
        layouts,
        fc.constantFrom(...dtypes),
        fc.nat(1000),
        ({ devices, spec, shape }, dtype, start) => {
          const x = anyTensor(dtype, shape, start)
          const on = deviceMesh(devices)
          expect(bits(on.unshard(on.shard(spec, x)))).toBe(bits(x))
        },
      ),
      { seed, numRuns: 40 },
    )
  })

  it('allGather leaves the whole as it is, and the axis out of the spec', () => {
    fc.assert(
      fc.property(layouts, fc.constantFrom(...dtypes), ({ devices, spec, shape }, dtype) => {
        const on = deviceMesh(devices)
        const x = anyTensor(dtype, shape, 3)
        let held: Sharded = on.shard(spec, x)
        for (const d of [1, 0]) {
          for (const axis of [...spec[d]!].reverse()) {
            held = on.allGather(held, { axis }).result
            expect(held.spec[d]).not.toContain(axis)
            expect(bits(on.unshard(held))).toBe(bits(x))
          }
        }
        for (const part of held.shards) expect(bits(part)).toBe(bits(x))
      }),
      { seed, numRuns: 40 },
    )
  })

  it('allToAll moves an axis to the other dimension, and leaves the whole as it is', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom(...dtypes),
        (n, times, dtype) => {
          const on = deviceMesh(mesh({ shape: [2, n], axisNames: ['x', 'y'] }))
          const x = anyTensor(dtype, [2 * n, n * times], 5)
          const { result } = on.allToAll(on.shard([['x', 'y']], x), { axis: 'y', from: 0, to: 1 })
          expect(result.spec).toEqual([['x'], ['y']])
          expect(bits(on.unshard(result))).toBe(bits(x))
          expect(result.shards.map(bits)).toEqual(on.shard(['x', 'y'], x).shards.map(bits))
        },
      ),
      { seed, numRuns: 40 },
    )
  })
})

const float = fc.float({ noNaN: true, min: -100, max: 100 })
const orders: readonly GroupOrder[] = ['ring', 'bidirectional', 'tree', 'all-to-all']

/** In which order the devices are added for an element, told apart from the code: by walking. */
function walked(
  values: readonly number[],
  order: GroupOrder,
  element: number,
  size: number,
  round: (x: number) => number,
) {
  const n = values.length
  const chunk = (index: number, length: number) => {
    // The larger chunks come first.
    for (let c = 0, end = 0; c < n; c++) {
      end += Math.floor(length / n) + (c < length % n ? 1 : 0)
      if (index < end) return c
    }
    return n - 1
  }
  const along = (list: readonly number[]) => list.reduce((sum, x) => round(sum + x))
  const ring = (list: readonly number[], c: number) => along(list.map((_, i) => list[(c + 1 + i) % n]!))
  if (order === 'all-to-all') return along(values)
  if (order === 'ring') return ring(values, chunk(element, size))
  if (order === 'bidirectional') {
    const half = Math.ceil(size / 2)
    if (element < half) return ring(values, chunk(element, half))
    return ring([...values].reverse(), chunk(element - half, size - half))
  }
  let sums = [...values]
  while (sums.length > 1) {
    const next: number[] = []
    for (let i = 0; i < sums.length; i += 2) {
      next.push(i + 1 < sums.length ? round(sums[i]! + sums[i + 1]!) : sums[i]!)
    }
    sums = next
  }
  return sums[0]!
}

describe(`deviceMesh sums (seed ${seed})`, () => {
  const gradients = fc
    .tuple(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 9 }))
    .chain(([n, size]) =>
      fc.array(fc.array(float, { minLength: size, maxLength: size }), { minLength: n, maxLength: n }),
    )

  it.each(orders)('allReduce as %s has the bits of float32 sums in its order, on every device', (order) => {
    fc.assert(
      fc.property(gradients, (rows) => {
        const on = deviceMesh(mesh({ shape: [2, rows.length], axisNames: ['x', 'y'] }))
        const parts = rows.map((row) => tensor(row))
        const { result } = on.allReduce(on.addends('y', parts), { axis: 'y', order })
        const values = parts.map((part) => part.toNumbers())
        const expected = rows[0]!.map((_, i) =>
          walked(
            values.map((row) => row[i]!),
            order,
            i,
            rows[0]!.length,
            Math.fround,
          ),
        )
        expect([...on.unshard(result).toNumbers()]).toEqual(expected)
      }),
      { seed, numRuns: 40 },
    )
  })

  it.each(['ring', 'bidirectional', 'all-to-all'] as const)(
    'reduceScatter as %s, then allGather, keeps the bound of its sums',
    (order) => {
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 6 }),
          fc.integer({ min: 1, max: 3 }),
          fc.constantFrom('bfloat16', 'float32'),
          (n, times, dtype) => {
            const on = deviceMesh(mesh({ shape: [n], axisNames: ['x'] }))
            const parts = Array.from({ length: n }, (_, r) =>
              tensor(
                Array.from({ length: n * times * 3 }, (_, i) => Math.sin(r * 7 + i)),
                { shape: [3, n * times], dtype: dtype as 'float32' },
              ),
            )
            const scattered = on.reduceScatter(on.addends('x', parts), { axis: 'x', dimension: 1, order })
            expect(scattered.result.spec).toEqual([[], ['x']])
            const found = on.unshard(scattered.result).toNumbers()
            const values = parts.map((part) => part.toNumbers())
            found.forEach((total, i) => {
              const exact = values.reduce((sum, row) => sum + row[i]!, 0)
              const sumAbs = values.reduce((sum, row) => sum + Math.abs(row[i]!), 0)
              const { bound } = errorBound(
                'sum',
                { n, dtype: dtype as 'float32', accumulate: dtype as 'float32', order: 'sequential' },
                { sumAbs },
              )
              // The exact sum is itself made in float64.
              expect(Math.abs(total - exact)).toBeLessThanOrEqual(bound + n * 2 ** -53 * sumAbs)
            })
          },
        ),
        { seed, numRuns: 40 },
      )
    },
  )

  it('in one direction a chunk is added in the order of the ring: 256 + 1 + 1 depends on where it begins', () => {
    const on = deviceMesh(mesh({ shape: [3], axisNames: ['x'] }))
    const parts = [256, 1, 1].map((x) => tensor([x, x, x], { dtype: 'bfloat16' }))
    const one = on.reduceScatter(on.addends('x', parts), { axis: 'x', dimension: 0, order: 'ring' })
    expect(on.unshard(one.result).toNested()).toEqual([258, 256, 256])
    const wide = on.reduceScatter(on.addends('x', parts), {
      ...{ axis: 'x', dimension: 0, order: 'ring', accumulate: 'float32' },
    })
    expect(on.unshard(wide.result).toNested()).toEqual([258, 258, 258])
  })
})

describe('deviceMesh counts bytes and seconds', () => {
  const wires = { bytesPerSecond: 45e9, hopSeconds: 1e-6 }

  it.each([4, 8, 16])('both ways round a ring of %i takes what the exact formula says', (n) => {
    const on = deviceMesh(mesh({ shape: [n], axisNames: ['x'] }), { wires })
    const x = tensor(new Float32Array(n * n * 64))
    const bytes = x.data.byteLength
    const model = (op: 'all-gather' | 'all-reduce' | 'reduce-scatter' | 'all-to-all') =>
      collectiveTime({ op, bytes, axisSizes: [n], linkBytesPerSecond: 45e9, hopSeconds: 0 })
        .exactBandwidthSeconds
    const close = (found: number, expected: number) =>
      expect(Math.abs(found / expected - 1)).toBeLessThan(1e-9)
    const bandwidth = ({ perLink }: { perLink: number }) => perLink / wires.bytesPerSecond
    close(bandwidth(on.allGather(on.shard(['x'], x), { axis: 'x' }).movements[0]!), model('all-gather'))
    const parts = on.addends(
      'x',
      Array.from({ length: n }, () => x),
    )
    close(bandwidth(on.allReduce(parts, { axis: 'x' }).movements[0]!), model('all-reduce'))
    close(
      bandwidth(on.reduceScatter(parts, { axis: 'x', dimension: 0 }).movements[0]!),
      model('reduce-scatter'),
    )
    const square = tensor(new Float32Array(n * n * 64), { shape: [n, n * 64] })
    const all = on.allToAll(on.shard(['x'], square), { axis: 'x', from: 0, to: 1 }).movements[0]!
    // An even ring's busiest link carries V / 8.
    expect(all.perLink).toBe(square.data.byteLength / 8)
  })

  it('one way round takes twice as long, and a line as long as its last link', () => {
    const x = tensor(new Float32Array(4096))
    const seconds = (order: 'ring' | 'bidirectional', wrap: boolean) => {
      const on = deviceMesh(mesh({ shape: [4], axisNames: ['x'] }), { wires: { ...wires, wrap } })
      return on.allGather(on.shard(['x'], x), { axis: 'x', order }).movements[0]!.perLink
    }
    expect([seconds('bidirectional', true), seconds('ring', true), seconds('ring', false)]).toEqual([
      6144, 12288, 12288,
    ])
  })

  it('small arrays take hops', () => {
    const on = deviceMesh(mesh({ shape: [16], axisNames: ['x'] }), { wires })
    const { movements } = on.allGather(on.shard(['x'], tensor(new Float32Array(16))), { axis: 'x' })
    expect(movements[0]).toMatchObject({ steps: 15, seconds: 15 * 1e-6, perDevice: 60 })
  })

  it('names devices by their numbers', () => {
    const on = deviceMesh(mesh({ shape: [2, 2], axisNames: ['x', 'y'], devices: [3, 2, 1, 0] }))
    const { movements } = on.allGather(on.shard([['x', 'y']], tensor([1, 2, 3, 4])), {
      axis: 'y',
      order: 'ring',
    })
    expect(movements[0]!.links).toEqual([
      { from: 0, to: 1, bytes: 4 },
      { from: 1, to: 0, bytes: 4 },
      { from: 2, to: 3, bytes: 4 },
      { from: 3, to: 2, bytes: 4 },
    ])
  })
})

describe('deviceMesh, on bad input', () => {
  const on = deviceMesh(mesh({ shape: [2, 2], axisNames: ['data', 'model'] }))
  const x = on.shard([['data', 'model'], null], tensor(new Float32Array(16), { shape: [4, 4] }))
  it.each([
    [
      () => on.allGather(x, { axis: 'modle' }),
      'allGather: the mesh has no such axis, did you mean model [modle]',
    ],
    [
      () => on.allGather(x, { axis: 'data' }),
      'allGather: data is not the last axis of dimension 0, undo the later ones first [data, model]',
    ],
    [
      () => on.allGather(x, 'data' as never),
      "allGather: options are not an object, write { axis: 'data' } [data]",
    ],
    [() => on.allReduce(x, { axis: 'data' }), 'allReduce: the devices along the axis hold no addends [data]'],
    [() => on.allToAll(x, { axis: 'model', from: 1, to: 0 }), 'allToAll: model does not split dimension 1'],
    [
      () => on.allToAll(x, { axis: 'model', from: 0, to: 0 }),
      'allToAll: from and to are the same dimension [0]',
    ],
    [() => on.addends('data', [tensor([1])]), 'addends: not one tensor for each device along data [1]'],
    [
      () => on.unshard(on.addends('data', [tensor([1]), tensor([2])])),
      'unshard: devices hold addends, reduce them first [data]',
    ],
    [() => on.matmul(x, on.shard([], tensor([1]))), 'matmul: inner dimensions differ [4, 4] x [1]'],
    [() => on.shard(['model'], 3 as never), 'shard: needs a tensor [3]'],
    [() => deviceMesh({} as never), 'deviceMesh: needs a mesh [an object]'],
    [
      () => on.reduceScatter(on.addends('data', [tensor([1]), tensor([2])]), { axis: 'data', dimension: 0 }),
      'reduceScatter: dimension 0 of 1 on each device does not divide into 2 parts [data]',
    ],
  ])('%# says what is wrong', (run, text) => expect(run).toThrow(text))
})
