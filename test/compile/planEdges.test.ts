import { compile } from 'tpu-toolkit/compile'
import { seeded } from 'tpu-toolkit/random'
import * as t from 'tpu-toolkit/tensor'
import { describe, expect, test } from 'vitest'
import { seed } from '../support/seed.js'
import { difference } from './difference.js'

const draw = seeded(`edges ${seed}`)
const dtypes = t.dtypes.filter((dtype) => t.isFloat(dtype) && dtype !== 'float64') as t.FloatDType[]

/** Codes of numbers, and the canonical NaN where there is one. */
function drawn(dtype: t.FloatDType, n: number): t.Tensor {
  if (dtype === 'float32') return t.tensor(Float32Array.from({ length: n }, () => draw() * 4 - 2))
  const { bits, format } = t.dtypeFacts(dtype)
  const codes = Array.from({ length: n }, () => Math.floor(draw() * 2 ** bits))
  const x = t.fromBits(codes, { shape: [n], dtype })
  const one = t.ones([], { dtype })
  return format?.nan === 'none' ? x : t.where(t.isNaN(x), one, x)
}

/** How often f itself was asked by a call of what was compiled before, whose results are those of f. */
function asked<A extends readonly t.Tensor[]>(f: (...args: A) => t.Tensor[], first: A, second: A): number {
  let runs = 0
  const compiled = compile((...args: A) => {
    runs++
    return f(...args)
  })
  compiled(...first)
  runs = 0
  expect(difference(compiled(...second), f(...second))).toBeUndefined()
  return runs
}

describe.each(dtypes)('compile of loops over arguments of %s', (dtype) => {
  const f = (x: t.Tensor, y: t.Tensor): t.Tensor[] => [t.where(t.less(x, y), x, y), t.neg(x), t.maximum(y, x)]

  test('gives the bits of f for every number of elements about a vector and about a block', () => {
    for (const n of [...Array(35).keys(), 1023, 1024, 1025, 2063]) {
      expect(asked(f, [drawn(dtype, n), drawn(dtype, n)], [drawn(dtype, n), drawn(dtype, n)])).toBe(0)
    }
  })

  test('asks f itself where any element is a NaN of other bits, and only there', () => {
    const { bits, format } = t.dtypeFacts(dtype)
    const others: t.Tensor[] = []
    if (dtype === 'float32') {
      others.push(new t.Tensor(dtype, [1], new Float32Array(Int32Array.of(0x7fc00001).buffer)))
    } else if (format?.nan !== 'none') {
      const all = Array.from({ length: 2 ** bits }, (_, code) => code)
      const isNaN = t.isNaN(t.fromBits(all, { shape: [all.length], dtype })).toNumbers()
      const code = all.find((each) => isNaN[each] && each !== format?.canonicalNaN)
      if (code !== undefined) others.push(t.fromBits([code], { shape: [1], dtype }))
    }
    for (const n of [1, 7, 8, 9, 21, 1030]) {
      const [x, y] = [drawn(dtype, n), drawn(dtype, n)]
      const canonical = t.dtypeFacts(dtype).format?.canonicalNaN
      if (canonical !== undefined && canonical !== null && format?.nan !== 'top') {
        const nan = t.fromBits([canonical], { shape: [1], dtype })
        const g = (a: t.Tensor, b: t.Tensor): t.Tensor[] => [t.maximum(a, b)]
        expect(asked(g, [x, y], [t.concat([t.slice(x, [[1, null]]), nan]), y])).toBe(0)
      }
      for (const other of others) {
        for (const at of new Set([0, n - 1])) {
          const strange = t.concat([t.slice(x, [[0, at]]), other, t.slice(x, [[at + 1, null]])])
          const g = (a: t.Tensor, b: t.Tensor): t.Tensor[] => [t.add(t.relu(a), b), t.mul(b, b)]
          expect(asked(g, [x, y], [strange, y])).toBe(1)
        }
      }
    }
  })

  test('gives the bits of f where an argument is read by several loops, rows and other steps, and results are read on', () => {
    const g = (x: t.Tensor, y: t.Tensor): t.Tensor[] => {
      const z = t.minimum(x, y)
      const rows = t.reshape(z, [6, 5])
      const tall = t.maximum(t.reshape(x, [6, 5]), t.slice(rows, [[0, 1]]))
      return [z, tall, t.max(rows, { axis: 0 }), t.neg(t.max(tall, { axis: 1, keepDims: true })), x]
    }
    const args = (): [t.Tensor, t.Tensor] => [drawn(dtype, 30), drawn(dtype, 30)]
    expect(asked(g, args(), args())).toBe(0)
    const chain = (x: t.Tensor, y: t.Tensor): t.Tensor[] => {
      let z = t.maximum(x, y)
      const all: t.Tensor[] = [z]
      for (let i = 0; i < 3; i++) {
        z = t.minimum(t.maximum(z, t.max(z)), x)
        all.push(z)
      }
      return all
    }
    expect(asked(chain, args(), args())).toBe(0)
  })

  test('gives the bits of f into storage that is given away', () => {
    const [x, y] = [drawn(dtype, 40), drawn(dtype, 40)]
    const wanted = f(x, y)
    const donating = compile(f, { donate: [0, 1] })
    const given = [drawn(dtype, 40), drawn(dtype, 40)] as const
    donating(...given)
    const copies = [t.concat([x]), t.concat([y])] as const
    const made = donating(...copies)
    expect(difference(made, wanted)).toBeUndefined()
    expect(made.some(({ data }) => data === copies[0].data)).toBe(true)
  })
})

test('compile counts bytes as storage has them, where a loop reads and writes them so', () => {
  const f = compile((x: t.Tensor, y: t.Tensor) => t.add(t.mul(x, y), 1))
  const bytesFor = (dtype: t.DType): readonly number[] => {
    f(t.ones([100], { dtype }), t.ones([100], { dtype }))
    return f.plan().steps.map(({ bytes }) => bytes)
  }
  expect(bytesFor('bfloat16')).toEqual([604])
  expect(bytesFor('float8_e5m2')).toEqual([304])
  expect(bytesFor('float32')).toEqual([1204])
  expect(bytesFor('float64')).toEqual([2408])
})

test('compile lets a large loop wait for the small ones that it can go on with', () => {
  const f = compile((x: t.Tensor, s: t.Tensor) => t.add(t.mul(x, 2), t.sub(1, t.square(s))))
  f(t.ones([100]), t.tensor(3))
  expect(f.plan().steps.map(({ shape, operations }) => [shape, operations])).toEqual([
    [[], ['square', 'sub']],
    [[100], ['mul', 'add']],
  ])
})
