import fc from 'fast-check'
import {
  chip,
  chipNames,
  chipOf,
  isTwistable,
  slice,
  sliceOf,
  smallestSlice,
  topologies,
  wrapAround,
} from 'tpu-toolkit/hardware'
import { estimateMemory } from 'tpu-toolkit/model'
import { describe, expect, it } from 'vitest'
import { readText } from '../support/project.js'
import { seed } from '../support/seed.js'

interface SliceKey {
  readonly name: string
  readonly topology: readonly number[]
  readonly chips: number
  readonly cores: number
  readonly jax_devices: number
  readonly wrap: readonly boolean[]
}
interface BuiltKey {
  readonly topology: string
  readonly chips: number
  readonly jax_devices: number
  readonly hosts: number
  readonly device_kind: string
  readonly error?: string
}
const named: { readonly slices: readonly SliceKey[] } = JSON.parse(
  readText('test/golden/planning/hardware.json'),
)
const built: { readonly slices: readonly BuiltKey[] } = JSON.parse(
  readText('test/golden/planning/topologies.json'),
)

describe('slice(name)', () => {
  it.each(named.slices)("$name is MaxText's: topology, chips, cores, devices, wrap", (key) => {
    const made = slice(key.name)
    expect([...made.topology]).toEqual(key.topology)
    expect([made.chips, made.tensorCores, made.jaxDevices]).toEqual([key.chips, key.cores, key.jax_devices])
    expect([...made.wrap]).toEqual(key.wrap)
    expect(made.name).toBe(key.name)
    expect(slice(`${made.chip.name}:${key.topology.join('x')}`)).toEqual(made)
  })

  it.each(built.slices.filter(({ error }) => error === undefined))(
    '$topology has the chips, devices and hosts that libtpu builds',
    (key) => {
      const made = slice(key.topology, { rule: 'libtpu' })
      expect([made.chips, made.jaxDevices, made.hosts]).toEqual([key.chips, key.jax_devices, key.hosts])
      expect(made.chip.deviceKind).toBe(key.device_kind)
    },
  )

  it.each(built.slices.filter(({ error }) => error !== undefined))(
    '$topology is refused as libtpu refuses it, the nearest slices named',
    ({ topology }) => {
      expect(() => slice(topology, { rule: 'libtpu' })).toThrow(
        /^slice: hosts of 2x2 chips do not divide .*, nearest v/,
      )
      expect(() => slice(topology)).toThrow(/^slice: v\w+ has no topology .*, nearest v/)
    },
  )

  it('libtpu builds v5e:16x32 and v4:2x2x3; Cloud offers neither', () => {
    expect(slice('v5e:16x32', { rule: 'libtpu' }).chips).toBe(512)
    expect(() => slice('v5e:16x32')).toThrow(
      'slice: v5e has no topology 16x32, nearest v5e-256 (16x16) [v5e:16x32]',
    )
    expect(() => slice('v4:2x2x3')).toThrow(
      'slice: v4 has no topology 2x2x3, nearest v4-16 (2x2x2), v4-32 (2x2x4) [v4:2x2x3]',
    )
  })

  // The table of pods of the Python toolkit counts TensorCores as chips.
  it.each([
    ['v5p-8', 4],
    ['v5p-32', 16],
    ['v5p-128', 64],
    ['v5p-768', 384],
    ['v4-8', 4],
    ['v4-32', 16],
    ['v5e-8', 8],
    ['v5e-64', 64],
    ['v6e-256', 256],
  ])('%s has %i chips', (name, chips) => expect(slice(name).chips).toBe(chips))

  it.each([
    ['v4-32', 4400],
    ['v5e-64', 12_608],
    ['v5e-256', 50_432],
    ['v6e-64', 58_752],
    ['v6e-256', 235_008],
  ])('%s has a peak of %i TFLOP/s in bfloat16', (name, teraflops) => {
    expect(slice(name).bfloat16FlopsPerSecond).toBe(teraflops * 1e12)
  })

  it('v5e-8 has 126 GiB that programs may use, not 40 GB', () => {
    expect(slice('v5e-8').programHbmBytes).toBe(126 * 2 ** 30)
  })

  it('a v5p pod has 8960 chips and 4.11e18 FLOP/s; the largest job has 6144', () => {
    const pod = slice('v5p-17920')
    expect([pod.chips, pod.hosts, pod.bfloat16FlopsPerSecond]).toEqual([8960, 2240, 4.11264e18])
    expect(slice('v5p-12288').topology).toEqual(chip('v5p').largestJobTopology)
    expect(() => slice('v5p-16384')).toThrow(
      /^slice: v5p has no slice of 8192 chips, nearest v5p-13824 \(12x24x24\), v5p-17920/,
    )
  })

  it('a name and a topology go together or are refused', () => {
    expect(slice('v5p-1024', { topology: [4, 8, 16] }).topology).toEqual([4, 8, 16])
    expect(() => slice('v5p-1024', { topology: [4, 4, 4] })).toThrow(
      'slice: v5p-1024 has 512 chips, the topology 64 [4x4x4]',
    )
  })

  it('v5litepod-16, as Cloud writes it, is v5e-16', () =>
    expect(slice('v5litepod-16')).toEqual(slice('v5e-16')))

  it('hosts of v5e have 4 chips unless 1 or 8 are asked for', () => {
    expect([1, 4, 8].map((chipsPerHost) => slice('v5e-16', { chipsPerHost }).hosts)).toEqual([16, 4, 2])
    expect(slice('v5e-16').hosts).toBe(4)
    expect(() => slice('v5e-16', { chipsPerHost: 2 })).toThrow('slice: hosts of v5e have 4, 1, 8 chips [2]')
    expect(() => slice('v5p-16', { chipsPerHost: 8 })).toThrow('slice: hosts of v5p have 4 chips [8]')
    expect(() => slice('v5e-4', { chipsPerHost: 8 })).toThrow(
      /^slice: hosts of 2x4 chips do not divide 2x2, nearest/,
    )
  })

  it.each([
    ['v5p-100', 'slice: v5p has no slice of 50 chips, nearest v5p-64 (2x4x4), v5p-128 (4x4x4) [v5p-100]'],
    [
      'v5p-9',
      'slice: v5p has no slice of 4.5 chips, TensorCores are counted, nearest v5p-8 (2x2x1), v5p-16 (2x2x2) [v5p-9]',
    ],
    ['v5p-2', 'slice: v5p has no slice of 1 chips, nearest v5p-8 (2x2x1) [v5p-2]'],
    ['v5p:12x8x4', 'slice: v5p has no topology 12x8x4, nearest 4x8x12 [v5p:12x8x4]'],
    ['v9-8', 'chip: unknown chip, there are v2, v3, v4, v5e, v5p, v6e, tpu7x [v9]'],
    ['v5p', 'slice: no name of a slice, such as v5p-128 or v5p:4x4x4 [v5p]'],
    [8, 'slice: no name of a slice, such as v5p-128 or v5p:4x4x4 [8]'],
  ])('slice(%s) is refused with the nearest that there is', (name, message) => {
    expect(() => slice(name as never)).toThrow(new RangeError(message))
  })

  it('options are checked', () => {
    expect(() => slice('v5p-8', { topologie: [2, 2, 1] } as never)).toThrow(
      'slice: unknown option, did you mean topology [topologie]',
    )
    expect(() => slice('v5p-8', { rule: 'any' as never })).toThrow(
      'slice: unknown rule, there are offered, libtpu [any]',
    )
    expect(() => slice('v5p:4x4', { rule: 'libtpu' })).toThrow(
      'slice: a topology of v5p is not 3 positive whole numbers [4, 4]',
    )
    expect(() => slice('v5p:0x0x0', { rule: 'libtpu' })).toThrow(/not 3 positive whole numbers/)
  })
})

describe('topologies(chip)', () => {
  it('all of them have a name that means them or an equal count, and whole hosts', () => {
    for (const name of chipNames) {
      for (const shape of topologies(chip(name))) {
        const made = slice(`${name}:${shape.join('x')}`)
        expect(slice(made.name).chips).toBe(made.chips)
        expect(Number.isInteger(made.hosts)).toBe(true)
      }
    }
  })

  it(`wrapAround: more than one host and no axis of 4 never wraps in three dimensions (seed ${seed})`, () => {
    const side = fc.integer({ min: 1, max: 32 })
    fc.assert(
      fc.property(side, side, side, (a, b, c) => {
        const wraps = [a, b, c].every((length) => length % 4 === 0)
        expect([...wrapAround(chip('v4'), [a, b, c])]).toEqual([wraps, wraps, wraps])
      }),
      { seed, numRuns: 200 },
    )
  })

  it.each([
    [[4, 4, 8], true],
    [[4, 8, 8], true],
    [[4, 4, 4], false],
    [[2, 2, 4], false],
    [[4, 8, 12], false],
    [[8, 16], false],
  ])('isTwistable(%j) is %s', (shape, expected) => expect(isTwistable(shape)).toBe(expected))
})

describe('a chip or slice given either way', () => {
  it('a name and its record mean the same', () => {
    expect(topologies('v5e')).toBe(topologies(chip('v5e')))
    expect(sliceOf('f', 'v5p-8')).toEqual(slice('v5p-8'))
    expect(sliceOf('f', slice('v5p-8'))).toEqual(slice('v5p-8'))
    expect(chipOf('f', chip('v4'))).toBe(chip('v4'))
  })

  it('what is neither is a TypeError in the caller`s name', () => {
    expect(() => topologies(5 as never)).toThrow(
      new TypeError('topologies: neither the name nor the record of a chip [5]'),
    )
    expect(() => wrapAround('v5e', 16 as never)).toThrow(
      new TypeError('wrapAround: the topology is no list of sides [16]'),
    )
    expect(() => isTwistable(undefined as never)).toThrow(TypeError)
    expect(() => sliceOf('f', {} as never)).toThrow(
      new TypeError('f: neither the name of a slice nor a slice [an object]'),
    )
    expect(() =>
      estimateMemory({ family: 'gpt2', D: 64, L: 1 }, { slice: 8 as never, batch: 1, sequence: 1 }),
    ).toThrow(new TypeError('estimateMemory: neither the name of a slice nor a slice [8]'))
  })
})

describe('smallestSlice(chip, bytes)', () => {
  it('is the first that has so many bytes', () => {
    const bytes = slice('v5p-64').programHbmBytes
    expect(smallestSlice('v5p', bytes).name).toBe('v5p-64')
    expect(smallestSlice('v5p', bytes + 1).name).toBe('v5p-128')
  })

  it('says which chips have enough where one has not', () => {
    expect(() => smallestSlice('v5e', 1e13)).toThrow(
      'smallestSlice: v5e-256 has not so many bytes, v3, v4, v5p, tpu7x have [10000000000000]',
    )
    expect(() => smallestSlice('v5e', Number.NaN)).toThrow(
      'smallestSlice: bytes is not a finite number, 0 or more [NaN]',
    )
    expect(() => smallestSlice('v5e', 1e18)).toThrow(/no chip has/)
  })
})
