import { compile } from 'tpu-toolkit/compile'
import { seeded } from 'tpu-toolkit/random'
import * as t from 'tpu-toolkit/tensor'
import { flush } from 'tpu-toolkit/tensor'
import { expect, test } from 'vitest'
import { seed } from '../support/seed.js'
import { difference } from './difference.js'

const draw = seeded(`signed ${seed}`)
const dtype = 'float8_e4m3fn'
const made = (values: readonly number[]): t.Tensor => t.tensor(values, { dtype })
const [large, factor] = [made([-300, 1, 300, 448]), made([2, 2, 2, -1])]

/** How often f itself was asked by the second call of what it was compiled to, whose results are those of f. */
function asked(f: (x: t.Tensor, y: t.Tensor) => t.Tensor[], x = large, y = factor): number {
  let runs = 0
  const compiled = compile((a: t.Tensor, b: t.Tensor) => {
    runs++
    return f(a, b)
  })
  compiled(x, y)
  runs = 0
  expect(difference(compiled(x, y), f(x, y))).toBeUndefined()
  return runs
}

test('compile goes on where an overflow below gives a NaN with which something computes before it comes out', () => {
  const after: readonly ((z: t.Tensor, y: t.Tensor) => t.Tensor)[] = [
    ...[t.add, t.sub, t.mul, t.div, t.minimum, t.maximum, t.less, t.equal],
    ...[t.neg, t.abs, t.sign, t.relu, t.floor, t.exp, t.tanh, t.sqrt, t.square].map(
      (f) => (z: t.Tensor) => f(z),
    ),
    (z) => t.isNaN(z),
    (z) => t.add(t.sum(z), 1),
    (z) => t.add(t.mean(z, { axis: 0 }), 1),
    (z) => t.add(t.matmul(t.reshape(t.add(z, 1), [1, 4]), t.reshape(t.add(z, 1), [4, 1])), 1),
    (z) => t.add(t.cast(z, 'float32'), 1),
    (z, y) => t.mul(t.where(t.isNaN(y), y, z), y),
    (z, y) => t.cast(t.add(t.cast(z, 'bfloat16'), t.cast(y, 'bfloat16')), dtype),
    // The cast is what overflows.
    (z, y) => t.add(t.cast(t.mul(t.cast(y, 'float32'), -1e9), dtype), z),
    (z, y) => t.add(t.cast(t.mul(t.cast(y, 'float64'), -1e9), dtype), z),
    (z) => t.add(flush(t.cast(z, 'float32')), 1),
  ]
  for (const f of after) expect(asked((x, y) => [f(t.mul(x, y), y)])).toBe(0)
})

test('compile asks the function itself where such a NaN comes out, through moves, casts and choices too', () => {
  const after: readonly ((z: t.Tensor, y: t.Tensor) => t.Tensor)[] = [
    (z) => z,
    (z) => t.reshape(z, [2, 2]),
    (z) => t.flip(z, { axis: 0 }),
    (z, y) => t.concat([y, z]),
    (z) => t.take(z, [0, 3], { axis: 0 }),
    (z) => t.cast(z, 'float32'),
    (z) => flush(t.cast(z, 'float32')),
    (_, y) => t.cast(t.mul(t.cast(y, 'float32'), 1e9), dtype),
    (z) => t.cast(z, 'float8_e5m2'),
    (z) => t.cast(t.cast(z, 'bfloat16'), 'float16'),
    (z, y) => t.where(t.isNaN(z), z, y),
    (z, y) => t.where(t.isNaN(z), t.reshape(t.transpose(t.reshape(z, [4, 1])), [4]), y),
    (z) => t.sum(z, { axis: [] }),
  ]
  for (const f of after) expect(asked((x, y) => [f(t.mul(x, y), y)])).toBe(1)
})

test('compile asks the function itself where a constant is such a NaN, of every dtype that has them', () => {
  const codes: Readonly<Partial<Record<t.DType, [number, number]>>> = {
    float8_e4m3fn: [0xff, 0x7f],
    float8_e5m2: [0xfe, 0x7e],
    bfloat16: [0xffc1, 0x7fc0],
    float16: [0x7e01, 0x7e00],
    float32: [0xffc00000, 0x7fc00000],
  }
  for (const [name, [odd, canonical]] of Object.entries(codes)) {
    const of = (code: number): t.Tensor =>
      t.fromBits([code, 0, 1, code], { shape: [2, 2], dtype: name as t.DType })
    const f = (held: t.Tensor) => (x: t.Tensor) => [t.take(t.concat([held, x]), [0, 3, 1], { axis: 0 })]
    const x = t.zeros([2, 2], { dtype: name as t.DType })
    expect(asked(f(of(odd)), x)).toBe(1)
    expect(asked(f(of(canonical)), x)).toBe(0)
  }
  const held = made([-1000, 1, 2, 3])
  const fixed = compile((a: t.Tensor, b: t.Tensor) => t.flip(t.concat([a, b])), { static: 0 })
  for (let run = 0; run < 2; run++) {
    expect(difference([fixed(held, large)], [t.flip(t.concat([held, large]))])).toBeUndefined()
  }
})

test('compile gives the bits of f for chains of operations that overflow on both sides, whatever comes out', () => {
  const steps: readonly ((a: t.Tensor, b: t.Tensor) => t.Tensor)[] = [
    ...[t.add, t.sub, t.mul, t.div, t.maximum],
    (a, b) => t.where(t.less(a, b), a, b),
    (a) => t.neg(a),
    (a) => t.cast(t.cast(a, 'bfloat16'), dtype),
    (a) => t.reshape(t.reshape(a, [4, 5]), [20]),
    (a) => t.exp(a),
  ]
  for (let k = 0; k < 40; k++) {
    const order = Array.from({ length: 6 }, () => Math.floor(draw() * steps.length))
    const shown = order.map(() => draw() < 0.3)
    const f = (x: t.Tensor, y: t.Tensor): t.Tensor[] => {
      const out: t.Tensor[] = []
      let z = x
      for (const [i, at] of order.entries()) {
        z = steps[at]!(z, y)
        if (shown[i]) out.push(z)
      }
      return [...out, t.isNaN(z)]
    }
    const operand = (): t.Tensor =>
      made(Array.from({ length: 20 }, () => (draw() - 0.5) * 2 ** (draw() * 12 - 2)))
    asked(f, operand(), operand())
  }
})
