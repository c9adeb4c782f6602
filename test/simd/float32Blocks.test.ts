import { float32Unary } from 'tpu-toolkit/functions'
import { key, normal } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import {
  arena,
  type Float32Binary,
  type Float32Unary,
  float32BinaryBlocks,
  float32UnaryBlocks,
  whereBlocks,
} from '#simd'

const special = [
  0,
  -0,
  1,
  -1,
  2 ** -149,
  -(2 ** -126),
  3e38,
  -3e38,
  Infinity,
  -Infinity,
  Number.NaN,
  0.5,
  2.5,
  -1.5,
]
const n = 16384 + 45
const drawn = normal(key(15), n)
// Small, ordinary and large numbers, and the special ones at both ends.
const x = drawn.map((value, i) => special[i] ?? special[n - 1 - i] ?? value * 2 ** ((i % 5) * 9 - 24))
const y = x.map((_, i) => x[(i * 7) % n]!)
const bits = (values: Float32Array) => new Uint32Array(values.buffer, values.byteOffset, values.length)
const simd = arena('simd')!

const { lgamma: _, ...withKernel } = float32Unary
const names = Object.keys(withKernel) as Float32Unary[]

describe('float32UnaryBlocks', () => {
  it.each(names)('float32UnaryBlocks(arena, %s) has the bits of the scalar twin, also in place', (name) => {
    const out = new Float32Array(n)
    float32UnaryBlocks(simd, name, x, out)
    const expected = x.map(float32Unary[name]).map((value) => (Number.isNaN(value) ? Number.NaN : value))
    expect(new Uint8Array(out.buffer)).toEqual(new Uint8Array(expected.buffer))
    const place = x.slice()
    float32UnaryBlocks(simd, name, place, place)
    expect(new Uint8Array(place.buffer)).toEqual(new Uint8Array(out.buffer))
  })

  it('float32UnaryBlocks(arena, exp) is 0 far below 0, in whole vectors and in parts of them', () => {
    const far = [-104, -104.00001, -200, -1e30, -Infinity, -3e38, -105, -106]
    const near = [-103.97, -103.98, -103.99, 0, -104, Number.NaN, -Infinity, -1]
    const values = Float32Array.from([...far, ...near, ...far.slice(0, 5)])
    const out = new Float32Array(values.length)
    float32UnaryBlocks(simd, 'exp', values, out)
    expect(out).toEqual(values.map(float32Unary.exp))
    expect(out[8]).toBe(2 ** -149)
  })
})

const twins: Record<Float32Binary, (a: number, b: number) => number> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  min: Math.min,
  max: Math.max,
  equal: (a, b) => Number(a === b),
  notEqual: (a, b) => Number(a !== b),
  less: (a, b) => Number(a < b),
  lessEqual: (a, b) => Number(a <= b),
}

describe('float32BinaryBlocks', () => {
  it.each(Object.keys(twins) as Float32Binary[])(
    'float32BinaryBlocks(arena, %s) has the bits of JavaScript, steps of 0 too',
    (name) => {
      const f = twins[name]
      const room = 3
      const fresh = () => ('add sub mul div min max'.includes(name) ? new Float32Array(n) : new Uint8Array(n))
      for (const [di, dj] of [
        [1, 1],
        [0, 1],
        [1, 0],
        [0, 0],
      ] as const) {
        const out = fresh()
        float32BinaryBlocks(simd, name, [x, room, di], [y, room + 1, dj], out, room, n - 8)
        const expected = fresh()
        for (let i = 0; i < n - 8; i++) {
          const value = f(x[room + di * i]!, y[room + 1 + dj * i]!)
          expected[room + i] = Number.isNaN(value) ? Number.NaN : value
        }
        expect(new Uint8Array(out.buffer)).toEqual(new Uint8Array(expected.buffer))
      }
    },
  )
})

describe('whereBlocks', () => {
  it('whereBlocks(arena, condition, a, b) moves words bit for bit, steps of 0 too', () => {
    const condition = Uint8Array.from({ length: n }, (_, i) => (i * i) % 3)
    const [a, b] = [bits(x), Uint32Array.from({ length: n }, (_, i) => 0x7f800001 + i)]
    for (const [di, dj] of [
      [1, 1],
      [0, 1],
      [1, 0],
    ] as const) {
      const out = new Uint32Array(n)
      whereBlocks(simd, condition, 2, [a, 1, di], [b, 3, dj], out, 1, n - 4)
      const expected = new Uint32Array(n)
      for (let i = 0; i < n - 4; i++) expected[1 + i] = condition[2 + i] ? a[1 + di * i]! : b[3 + dj * i]!
      expect(out).toEqual(expected)
    }
  })
})
