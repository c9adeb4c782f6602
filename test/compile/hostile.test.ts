import { compile } from 'tpu-toolkit/compile'
import * as t from 'tpu-toolkit/tensor'
import { expect, test } from 'vitest'

const nested = (xs: readonly t.Tensor[]): unknown[] => xs.map((x) => x.toNested())

test('donate leaves alone what two arguments share, and what comes out as it is', () => {
  const both = (a: t.Tensor, b: t.Tensor): t.Tensor[] => [t.add(a, 1), t.mul(b, 2)]
  const y = t.tensor([1, 2, 3])
  expect(nested(compile(both, { donate: [0, 1] })(y, y))).toEqual([
    [2, 3, 4],
    [2, 4, 6],
  ])
  const kept = compile((a: t.Tensor, b: t.Tensor) => [t.add(a, b), b], { donate: 0 })
  expect(nested(kept(y, t.reshape(y, [3])))).toEqual([
    [2, 4, 6],
    [1, 2, 3],
  ])
  const returned = compile((a: t.Tensor) => [t.add(a, 1), t.reshape(a, [3, 1]), a], { donate: 0 })
  expect(nested(returned(y))).toEqual([
    [2, 3, 4],
    [[1], [2], [3]],
    [1, 2, 3],
  ])
})

test('tensors in a Map, an instance, a promise or a generator are no result', async () => {
  class Holder {
    readonly x: t.Tensor
    constructor(x: t.Tensor) {
      this.x = x
    }
  }
  const x = t.ones([2])
  const says = (what: string): string => `compile: result is not a tree of arrays and plain objects [${what}]`
  expect(() => compile((y: t.Tensor) => new Map([['y', t.neg(y)]]))(x)).toThrow(new TypeError(says('Map')))
  expect(() => compile((y: t.Tensor) => [new Holder(t.neg(y))])(x)).toThrow(new TypeError(says('Holder')))
  expect(() => compile(async (y: t.Tensor) => t.neg(y))(x)).toThrow(new TypeError(says('Promise')))
  expect(() =>
    compile(function* (y: t.Tensor) {
      yield t.neg(y)
    })(x),
  ).toThrow(TypeError)
  // What holds none of the recording's is handed on.
  const own = new Holder(x)
  expect(compile((y: t.Tensor) => ({ own, bytes: new Uint8Array(2), y }))(x).own).toBe(own)
})

test('a compiled function may call itself', () => {
  const compiled = compile((x: t.Tensor, n: number): t.Tensor => (n === 0 ? x : t.add(compiled(x, n - 1), 1)))
  expect(compiled(t.tensor([1]), 5).item()).toBe(6)
  expect(compiled(t.tensor([2]), 5).item()).toBe(7)
})

test('functions without tensors, without results and with empty trees are called as they are', () => {
  expect(compile(() => 5)()).toBe(5)
  expect(compile((x: t.Tensor) => void x)(t.ones([1]))).toBe(undefined)
  expect(compile((a: t.Tensor[], b: object) => [a, b])([], {})).toEqual([[], {}])
  const none = t.zeros([0, 3])
  const compiled = compile((z: t.Tensor) => [t.add(z, 1), t.sum(z), t.matmul(t.transpose(z), z)])
  for (let call = 0; call < 2; call++) {
    expect(nested(compiled(none))).toEqual([
      [],
      0,
      [
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
      ],
    ])
  }
})

test('arguments that may change without being others are refused, unless they are static', () => {
  const f = (x: t.Tensor, held: ReadonlyMap<string, t.Tensor>): t.Tensor => t.add(x, held.get('y')!)
  const held = new Map([['y', t.ones([2])]])
  expect(() => compile(f)(t.ones([2]), held)).toThrow(
    new TypeError(
      'compile: argument 1 is not a tree of arrays and plain objects, make it static if it never changes [Map]',
    ),
  )
  expect(() =>
    compile((x: t.Tensor, options: object) => [x, options])(t.ones([1]), { a: [new Float32Array(2)] }),
  ).toThrow(TypeError)
  expect(compile(f, { static: 1 })(t.ones([2]), held).toNested()).toEqual([2, 2])
})

test('static and donate name arguments that are there, and arguments are no circles', () => {
  const x = t.ones([1])
  expect(() => compile((y: t.Tensor) => y, { static: 1 })(x)).toThrow(
    new RangeError('compile: static names an argument that is not there [1 of 1]'),
  )
  expect(() => compile((y: t.Tensor) => y, { donate: 3 })(x)).toThrow(RangeError)
  const circle: unknown[] = [x]
  circle.push(circle)
  expect(() => compile((y: unknown[]) => y)(circle)).toThrow('or in a circle')
})
