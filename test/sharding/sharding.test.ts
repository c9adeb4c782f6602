import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { key, split } from 'tpu-toolkit/random'
import {
  deviceSlices,
  isEquivalent,
  mesh,
  type PartitionSpec,
  shardBatch,
  shardingOf,
  shardRng,
  shardShape,
} from 'tpu-toolkit/sharding'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

interface Expected {
  readonly shard_shape?: readonly number[]
  readonly distinct_shards?: number
  readonly replicas?: number
  readonly fully_replicated?: boolean
  readonly slices?: readonly (readonly number[])[]
  readonly device_put?: string
  readonly error?: string
  readonly stage?: string
  readonly why?: string
}
interface Case {
  readonly mesh: readonly number[]
  readonly axes: readonly string[]
  readonly shape: readonly number[]
  readonly spec: PartitionSpec
  readonly devices?: readonly (readonly number[])[]
  readonly note?: string
  readonly expect: Expected
}

const keyFile = new URL('../golden/planning/sharding.json', import.meta.url)
const { cases } = JSON.parse(readFileSync(keyFile, 'utf8')) as { readonly cases: readonly Case[] }
const title = (one: Case) =>
  `${one.mesh.join(' x ')} ${one.axes.join()}: ${JSON.stringify(one.spec)} of [${one.shape}]${one.note ? `, ${one.note}` : ''}`
const meshOf = (one: Case) =>
  mesh({ shape: one.mesh, axisNames: one.axes, ...(one.devices ? { devices: one.devices } : {}) })

/** What our errors say where jax's keys give that reason. */
const reasons: Readonly<Record<string, RegExp>> = {
  'the device array has not one dimension per axis name': /^mesh: 2 dimensions, but 1 axis name \[/,
  'an axis name is used more than once in the spec': /^shardShape: an axis is used twice in the spec \[/,
  'the spec names an axis the mesh does not have':
    /^shardShape: the mesh has no such axis, there are x, y \[model\]/,
  'a dimension is not divisible by the product of the mesh axes that split it':
    /^shardShape: dimension \d of \d+ does not divide into \d+ parts over /,
  'the spec has more entries than the array has dimensions':
    /^shardShape: the spec has more entries than the array has dimensions \[/,
  'the mesh repeats an axis name (jax accepts the mesh and fails here; refuse the mesh)':
    /^mesh: an axis name stands twice \[x, x\]/,
}

describe('shardShape and deviceSlices, against jax', () => {
  const placed = cases.filter(({ expect: { error, device_put } }) => !error && !device_put)
  const refused = cases.filter(({ expect: { error } }) => error)
  it.each(placed.map((one) => [title(one), one] as const))('%s', (_, one) => {
    const devices = meshOf(one)
    expect(shardShape(devices, one.spec, one.shape)).toEqual(one.expect.shard_shape)
    expect(deviceSlices(devices, one.spec, one.shape).map((slice) => slice.flat())).toEqual(one.expect.slices)
    expect(shardingOf(devices, one.spec, one.shape)).toEqual({
      shardShape: one.expect.shard_shape,
      distinctShards: one.expect.distinct_shards,
      replicas: one.expect.replicas,
      fullyReplicated: one.expect.fully_replicated,
    })
  })

  it.each(refused.map((one) => [title(one), one] as const))('refuses %s', (_, one) => {
    const make = () => shardShape(meshOf(one), one.spec, one.shape)
    expect(make).toThrow(RangeError)
    expect(make).toThrow(reasons[one.expect.why!])
    // The stage: a mesh that is one is made before anything is refused.
    if (one.expect.stage === 'mesh') expect(() => meshOf(one)).toThrow()
    else if (!one.expect.why!.startsWith('the mesh repeats')) expect(() => meshOf(one)).not.toThrow()
  })

  it('refuses a spec that is longer by nulls, as device_put does and shard_shape does not', () => {
    const longer = cases.filter(({ expect: { device_put } }) => device_put)
    expect(longer.length).toBe(2)
    for (const one of longer) {
      expect(() => shardShape(meshOf(one), one.spec, one.shape)).toThrow(
        'more entries than the array has dimensions',
      )
    }
  })

  it('covers the key', () => expect(placed.length + refused.length + 2).toBe(cases.length))
})

const names = ['a', 'b', 'c', 'd']
const meshes = fc
  .array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 })
  .map((shape) => mesh({ shape, axisNames: names.slice(0, shape.length) }))
/** A mesh, a spec that uses each of its axes at most once, and a shape that divides. */
const shardings = meshes.chain((devices) =>
  fc
    .record({
      order: fc.shuffledSubarray([...devices.axisNames]),
      cuts: fc.array(fc.nat(2), { minLength: 4, maxLength: 4 }),
      times: fc.array(fc.nat(3), { minLength: 3, maxLength: 3 }),
    })
    .map(({ order, cuts, times }) => {
      const spec = [0, 1, 2].map((d) => order.filter((_, i) => cuts[i] === d))
      const size = (axes: readonly string[]) =>
        axes.reduce((n, name) => n * devices.shape[devices.axisNames.indexOf(name)]!, 1)
      return { devices, spec, shape: spec.map((axes, d) => size(axes) * times[d]!) }
    }),
)

describe(`deviceSlices (seed ${seed})`, () => {
  it('cover every element equally often', () => {
    fc.assert(
      fc.property(shardings, ({ devices, spec, shape }) => {
        const { replicas, distinctShards, shardShape: part } = shardingOf(devices, spec, shape)
        const counts = new Map<string, number>()
        for (const slice of deviceSlices(devices, spec, shape)) {
          expect(slice.map(([start, stop]) => stop - start)).toEqual(part)
          counts.set(JSON.stringify(slice), (counts.get(JSON.stringify(slice)) ?? 0) + 1)
        }
        expect(counts.size).toBe(distinctShards)
        expect(new Set(counts.values())).toEqual(new Set([replicas]))
        const volume = (sizes: readonly number[]) => sizes.reduce((n, size) => n * size, 1)
        if (volume(shape) > 0) expect(volume(part) * distinctShards).toBe(volume(shape))
      }),
      { seed },
    )
  })

  it('are the same for specs that isEquivalent, and only for them', () => {
    const pairs = shardings.chain(({ devices, spec, shape }) =>
      fc.record({
        devices: fc.constant(devices),
        shape: fc.constant(shape.map((size) => size * 12)),
        first: fc.constant(spec),
        second: fc
          .shuffledSubarray([...devices.axisNames])
          .map((order) => [order.slice(0, 1), order.slice(1, 2), order.slice(2)]),
      }),
    )
    fc.assert(
      fc.property(pairs, ({ devices, shape, first, second }) => {
        const whole = shape.map((size) => size * 64 * 27)
        const same =
          JSON.stringify(deviceSlices(devices, first, whole)) ===
          JSON.stringify(deviceSlices(devices, second, whole))
        expect(isEquivalent(devices, first, second, whole)).toBe(same)
      }),
      { seed },
    )
  })
})

describe('mesh', () => {
  it.each([
    [{ shape: [2], axisNames: ['x'], devices: [0] }, 'mesh: the shape has 2 places, but devices are 1 [0]'],
    [
      { shape: [2, 2], axisNames: ['x', 'y'], devices: [[0, 1, 2, 3]] },
      'mesh: devices are not nested as the shape [[0, 1, 2, 3] and 2, 2]',
    ],
    [{ shape: [2], axisNames: ['x'], devices: 3 }, 'mesh: devices is not an array of numbers [3]'],
    [
      { shape: [2], axisNames: ['x'], devices: ['a', 'b'] },
      'mesh: a device is not a whole number, 0 or more [a]',
    ],
    [{ shape: [2], axisNames: ['x'], devices: [3, 3] }, 'mesh: a device stands twice [3, 3]'],
    [{ shape: [8], axisNames: ['data', 'model'] }, 'mesh: 1 dimension, but 2 axis names [8 and data, model]'],
    [{ shape: [0], axisNames: ['x'] }, 'mesh: a size of shape is not a whole number, 1 or more [0]'],
    [{ shape: 4, axisNames: ['x'] }, 'mesh: shape is not an array of sizes [4]'],
    [{ shape: [4], axisNames: 'x' }, 'mesh: axisNames is not an array of names [x]'],
    [{ shape: [4], axis_names: ['x'] }, 'mesh: unknown option, did you mean axisNames [axis_names]'],
    [{ shape: [4] }, 'mesh: option axisNames is missing [shape]'],
  ])('refuses %j', (options, text) => expect(() => mesh(options as never)).toThrow(text))
})

describe('shardShape', () => {
  const devices = mesh({ shape: [4, 2], axisNames: ['data', 'model'] })
  it.each([
    [['modle'], 'shardShape: the mesh has no such axis, did you mean model [modle]'],
    ['data', 'shardShape: the spec is not an array [data]'],
    [[1], 'shardShape: an entry of the spec is not null, a name or names [1]'],
    [
      [['data', 'model']],
      'shardShape: dimension 0 of 12 does not divide into 8 parts over data, model, 8 and 16 would [12 on 4 x 2]',
    ],
  ])('refuses the spec %j', (spec, text) =>
    expect(() => shardShape(devices, spec as never, [12])).toThrow(text),
  )

  it('needs a mesh', () =>
    expect(() => shardShape([4, 2] as never, [], [4])).toThrow(
      'shardShape: the first argument is not a mesh, make one with mesh({ shape, axisNames }) [4, 2]',
    ))
})

describe('shardBatch', () => {
  const devices = mesh({ shape: [8, 4, 2], axisNames: ['data', 'fsdp', 'tensor'] })

  it('splits rows over data and fsdp, where the toolkit splits over data and computes each row four times', () => {
    expect(shardBatch(devices, [256, 128])).toMatchObject({
      spec: [['data', 'fsdp']],
      shardShape: [8, 128],
      replicas: 2,
    })
    expect(shardBatch(devices, [256, 128], { axes: ['data'] })).toMatchObject({
      shardShape: [32, 128],
      replicas: 8,
    })
  })

  it('splits time too, for sequence parallelism', () => {
    const found = shardBatch(devices, [256, 128], { sequence: ['tensor'] })
    expect(found).toMatchObject({ shardShape: [8, 64], replicas: 1 })
    expect(found.slices[1]).toEqual([
      [0, 8],
      [64, 128],
    ])
  })

  it('names the nearest batches that divide', () => {
    expect(() => shardBatch(devices, [100])).toThrow(
      'shardBatch: dimension 0 of 100 does not divide into 32 parts over data, fsdp, 96 and 128 would',
    )
    expect(() => shardBatch(devices, [])).toThrow('shardBatch: a batch has at least one dimension')
  })
})

describe('shardRng', () => {
  const devices = mesh({ shape: [2, 3], axisNames: ['data', 'model'] })

  it('gives every device the key that jax.random.split would', () => {
    const keys = shardRng(devices, key(7))
    expect(keys.map(({ data }) => [...data])).toEqual(split(key(7), 6).map(({ data }) => [...data]))
  })

  it('gives devices along other axes the same key', () => {
    const keys = shardRng(devices, key(7), { axes: ['model'] })
    expect(keys.map((one) => keys.indexOf(one))).toEqual([0, 1, 2, 0, 1, 2])
    expect(() => shardRng(devices, key(7), { axes: ['modle'] })).toThrow('did you mean model')
    expect(() => shardRng(devices, key(7), { axes: ['data', 'data'] })).toThrow('used twice')
  })
})
