import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { slice } from 'tpu-toolkit/hardware'
import { createMesh, type Mesh, toolkitPods } from 'tpu-toolkit/sharding'
import { describe, expect, it } from 'vitest'

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../golden/planning/${name}.json`, import.meta.url), 'utf8'))

interface Ordered {
  readonly topology: string
  readonly mesh: readonly number[]
  readonly order?: readonly (readonly number[])[]
  readonly error?: string
}
interface Hashed {
  readonly chip: string
  readonly topology: readonly number[]
  readonly mesh: readonly number[]
  readonly split: boolean
  readonly sha256?: string
  readonly error?: string
}

const real = read('mesh_order').cases as readonly Ordered[]
const made = read('mesh_order_more').cases as readonly Hashed[]
const axesOf = (shape: readonly number[]) => Object.fromEntries(shape.map((size, i) => [`axis${i}`, size]))
const hash = ({ coordinates = [] }: Mesh) =>
  createHash('sha256')
    .update(coordinates.map((place) => place.join(' ')).join('\n'))
    .digest('hex')
    .slice(0, 16)

describe('createMesh, in the order of the torus', () => {
  it.each(real.map((one) => [one.topology, one.mesh.join(' x '), one] as const))(
    '%s as %s is as jax orders the devices of libtpu',
    (_, __, { topology, mesh, order, error }) => {
      const make = () => createMesh(slice(topology), { axes: axesOf(mesh) })
      if (error) expect(make).toThrow(/createMesh: axis\d of \d+ is no product of whole sides/)
      else expect(make().coordinates).toEqual(order)
    },
  )

  it.each([...new Set(made.map(({ chip }) => chip))])(
    '%s: all shapes, sides whole and split, are as jax has them',
    (chip) => {
      const cases = made.filter((one) => one.chip === chip)
      for (const { topology, mesh, split, sha256, error } of cases) {
        const of = slice(
          `${chip}:${(chip === 'v4' || chip === 'v5p' || chip === 'tpu7x' ? topology : topology.slice(0, 2)).join('x')}`,
          { rule: 'libtpu' },
        )
        const make = () => createMesh(of, { axes: axesOf(mesh), splitPhysicalAxes: split })
        if (error) expect(make, `${topology} as ${mesh}`).toThrow('is no product of whole sides')
        else expect(hash(make()), `${topology} as ${mesh}, split ${split}`).toBe(sha256)
      }
      expect(cases.length).toBeGreaterThan(50)
    },
  )

  it('numbers devices as jax.devices() does, so that the order is a permutation of it', () => {
    const { devices } = createMesh('tpu7x-8')
    expect([...devices].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    expect(createMesh('v5p-128', { order: 'given' }).devices.slice(0, 5)).toEqual([0, 1, 2, 3, 4])
    expect(createMesh('v5p-128', { order: 'given' }).coordinates!.slice(0, 5)).toEqual([
      [0, 0, 0, 0],
      [1, 0, 0, 0],
      [0, 1, 0, 0],
      [1, 1, 0, 0],
      [2, 0, 0, 0],
    ])
  })
})

describe("createMesh, for the pods of the toolkits' tables", () => {
  it.each(toolkitPods)('$pod has $devices devices', ({ pod, devices, fsdp }) => {
    expect(slice(pod).jaxDevices).toBe(devices)
    expect(createMesh(pod)).toMatchObject({
      axisNames: ['data', 'fsdp'],
      shape: [devices / fsdp, fsdp],
      size: devices,
    })
  })

  it('v5p-8, -32, -128, -768 are 4, 16, 64, 384 chips, so the meshes (8, 1) and (8, 4) do not fit', () => {
    expect(['v5p-8', 'v5p-32', 'v5p-128', 'v5p-768'].map((pod) => createMesh(pod).size)).toEqual([
      4, 16, 64, 384,
    ])
    expect(() => createMesh('v5p-8', { axes: { data: 8, fsdp: 1 } })).toThrow(
      'createMesh: v5p-8 has 4 devices, the axes 8, data of 4 would do [data 8, fsdp 1]',
    )
    expect(() => createMesh('v5p-32', { axes: { data: 8, fsdp: 4 } })).toThrow(
      'v5p-32 has 16 devices, the axes 32',
    )
    expect(createMesh('v5p-768').shape).toEqual([96, 4])
  })

  it('fsdp of 4 on a host is four chips without a ring: 2x2x1 has no wrap', () =>
    expect(slice('v5p-8').wrap).toEqual([false, false, false]))
})

describe('createMesh, on bad input', () => {
  it.each([
    ['v5p-8', { axes: { data: -1, fsdp: -1 } }, 'createMesh: more than one axis is -1 [data, fsdp]'],
    ['v5p-8', { axes: { data: -1, fsdp: 3 } }, 'createMesh: v5p-8 has 4 devices, the axes 3 times -1'],
    ['v5p-8', { axes: { data: 0 } }, 'createMesh: axis data is not a whole number, 1 or more [0]'],
    ['v5p-8', { axes: [4, 1] }, 'createMesh: axes is not a record such as { data: -1, fsdp: 4 } [4, 1]'],
    ['v5p-8', { order: 'ring' }, 'createMesh: order is neither torus nor given [ring]'],
    ['v5p-8', { shape: [4] }, 'createMesh: unknown option'],
    [
      'v5e-16',
      { axes: { data: 8, model: 2 } },
      'createMesh: model of 2 is no product of whole sides of v5e-16, 4x4; choose such a product, or splitPhysicalAxes: true [8 x 2]',
    ],
    [{}, {}, 'createMesh: needs a slice or its name, such as v5p-128'],
  ])('createMesh(%j, %j) says what is wrong', (of, options, text) =>
    expect(() => createMesh(of as never, options as never)).toThrow(text),
  )
})
