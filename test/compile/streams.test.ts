import { compile } from 'tpu-toolkit/compile'
import { adamw, applyUpdates, withTensorState } from 'tpu-toolkit/optimizer'
import { key, normal, seeded } from 'tpu-toolkit/random'
import type { FloatDType, Shape, Tensor } from 'tpu-toolkit/tensor'
import * as t from 'tpu-toolkit/tensor'
import { leavesOf } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { difference } from './difference.js'

// Loops over 32,768 elements and more take arguments and give results tile by tile: of 8,192 elements where blocks have 1,024.

const draw = seeded(`streams ${seed}`)
const pool = Float32Array.from(normal(key(16), 70000))
const drawn = (shape: Shape, dtype: t.DType): Tensor => {
  const size = t.sizeOf(shape)
  const from = Math.floor(draw() * (pool.length - size))
  return t.cast(t.tensor(pool.slice(from, from + size), { shape }), dtype)
}
/** How often f ran in calls of what was compiled after the first; all results are those of f. */
function asked<A extends readonly Tensor[]>(
  f: (...args: A) => readonly Tensor[],
  ...calls: readonly A[]
): number {
  let runs = 0
  const compiled = compile((...args: A) => {
    runs++
    return f(...args)
  })
  for (const args of calls) expect(difference(compiled(...args), f(...args))).toBeUndefined()
  return runs - 1
}
const dtypes: readonly FloatDType[] = ['float32', 'bfloat16', 'float16', 'float8_e5m2', 'float4_e2m1fn']

describe(`compile of loops that take and give elements tile by tile (seed ${seed})`, () => {
  it.each(dtypes)('gives the bits of AdamW in %s, at any number of elements', (dtype) => {
    const optimizer = withTensorState(adamw({ learningRate: 1e-2 }))
    for (const size of dtype === 'bfloat16' ? [32767, 32768, 32769, 49152, 65543] : [40013]) {
      const params = drawn([size], dtype)
      const step = (p: Tensor, state: ReturnType<typeof optimizer.init>, grads: Tensor) => {
        const [updates, next] = optimizer.update(grads, state, p)
        return { p: applyUpdates(p, updates), next }
      }
      const compiled = compile(step)
      let state = optimizer.init(params)
      let p = params
      for (let i = 0; i < 2; i++) {
        const grads = drawn([size], dtype)
        const wanted = step(p, state, grads)
        const found = compiled(p, state, grads)
        expect(
          difference([found.p, ...leavesOf(found.next)], [wanted.p, ...leavesOf(wanted.next)]),
        ).toBeUndefined()
        p = found.p
        state = found.next
      }
    }
  })

  it.each(dtypes)('reads rows, columns and parts beside them in %s', (dtype) => {
    const f = (x: Tensor, row: Tensor, column: Tensor, y: Tensor): Tensor[] => [
      t.add(t.mul(x, row), t.mul(column, x)),
      t.reshape(t.sub(x, t.reshape(y, x.shape)), [x.size]),
      t.maximum(t.transpose(t.reshape(y, [x.shape[1]!, x.shape[0]!])), 1),
    ]
    const args = (): [Tensor, Tensor, Tensor, Tensor] => [
      drawn([251, 203], dtype),
      drawn([203], dtype),
      drawn([251, 1], dtype),
      drawn([251 * 203], dtype),
    ]
    expect(asked(f, args(), args())).toBe(0)
  })

  it('leaves whole what more than one step reads, what comes out twice, and what comes out as it came in', () => {
    const f = (x: Tensor, y: Tensor): Tensor[] => {
      const z = t.add(x, y)
      const w = t.mul(y, 2)
      return [z, z, w, t.sum(x), t.sum(w), y, t.sub(t.slice(x, [[1, null]]), t.slice(y, [[0, -1]]))]
    }
    const args = (): [Tensor, Tensor] => [drawn([50001], 'bfloat16'), drawn([50001], 'bfloat16')]
    expect(asked(f, args(), args())).toBe(0)
  })

  it('gives arrays that nothing else has, and does not touch those of arguments', () => {
    const add = compile((x: Tensor, y: Tensor) => t.add(x, y))
    const [x, y] = [drawn([40000], 'float32'), drawn([40000], 'float32')]
    const kept = [x.data.slice(), y.data.slice()]
    const [first, second] = [add(x, y), add(x, y)]
    expect(first.data.buffer).not.toBe(second.data.buffer)
    expect([x.data, y.data]).toEqual(kept)
  })

  it.each(['float32', 'float16', 'float8_e4m3fn'] as const)(
    'asks f where the last element of %s is a NaN with a sign, donated arguments as they were',
    (dtype) => {
      const f = (x: Tensor, y: Tensor): Tensor[] => [t.neg(x), t.where(t.less(x, y), x, y)]
      const bits = t.fromBits(
        dtype === 'float32' ? Uint32Array.of(0xffc00001) : [dtype === 'float16' ? 0xfe01 : 0xff],
        { shape: [1], dtype },
      )
      const x = t.concat([drawn([40000], dtype), bits])
      const y = drawn([40001], dtype)
      const step = compile(f, { donate: 0 })
      const wanted = f(x, y)
      step(drawn([40001], dtype), y)
      expect(difference(step(x, y), wanted)).toBeUndefined()
    },
  )

  it('needs no whole argument or result in memory', () => {
    const f = compile((x: Tensor, y: Tensor) => t.add(t.mul(x, y), y))
    f(drawn([2 ** 16], 'float32'), drawn([2 ** 16], 'float32'))
    // Three tiles of at most 16,384 elements.
    expect(f.plan().peakBytes).toBeLessThanOrEqual(3 * (16384 * 4 + 1024))
    expect(f.plan().steps[0]!.alive).toBeLessThanOrEqual(3 * 16384 * 4)
  })
})
