import { compile } from 'tpu-toolkit/compile'
import { seeded } from 'tpu-toolkit/random'
import * as t from 'tpu-toolkit/tensor'
import { expect, test } from 'vitest'
import { seed } from '../support/seed.js'
import { difference } from './difference.js'

const draw = seeded(`products ${seed}`)
const drawn = (shape: readonly number[], dtype: t.DType, scale: () => number = () => 1): t.Tensor =>
  t.cast(
    t.tensor(
      Array.from({ length: t.sizeOf(shape) }, () => (draw() * 4 - 2) * scale()),
      { shape },
    ),
    dtype,
  )

/** Shapes of operands: batches with one matrix and with one each, blocks of 256 left and passed in every direction. */
const shapes: readonly (readonly [readonly number[], readonly number[]])[] = [
  [
    [3, 5, 7],
    [7, 9],
  ],
  [
    [2, 3, 4, 6],
    [6, 5],
  ],
  [
    [2, 3, 4, 6],
    [3, 6, 5],
  ],
  [
    [4, 6],
    [3, 6, 5],
  ],
  [
    [1, 3, 6],
    [2, 6, 5],
  ],
  [
    [2, 1, 3, 6],
    [1, 1, 6, 2],
  ],
  [
    [3, 130, 20],
    [20, 1],
  ],
  [
    [300, 270],
    [270, 9],
  ],
  [
    [9, 300],
    [300, 260],
  ],
  [
    [2, 1, 3],
    [3, 300],
  ],
]

test.each(['bfloat16', 'float32', 'float16', 'float8_e4m3fn', 'float8_e5m2', 'float8_e4m3fnuz'] as const)(
  'products of batches of %s have the bits of the function itself',
  (dtype) => {
    for (const [a, b] of shapes) {
      const [x, y] = [drawn(a, dtype), drawn(b, dtype)]
      const f = (u: t.Tensor, v: t.Tensor): t.Tensor => t.matmul(u, v)
      const turned = (u: t.Tensor, v: t.Tensor): t.Tensor =>
        t.matmul(t.flip(u, { axis: 0 }), t.flip(v, { axis: -1 }))
      for (const g of [f, turned]) {
        const compiled = compile(g)
        expect(difference([compiled(x, y)], [g(x, y)]), `[${a}] [${b}]`).toBeUndefined()
      }
    }
  },
)

test('products of rows that lie in another order have the bits of the function itself', () => {
  const f = (x: t.Tensor, w: t.Tensor): t.Tensor[] => [
    t.matmul(t.transpose(x, [1, 0, 2]), w),
    t.matmul(t.transpose(x, [0, 2, 1]), t.matmul(x, w)),
    t.matmul(t.slice(x, [[0, null, 2]]), w),
    t.matmul(t.broadcastTo(t.slice(x, [[0, 1]]), [4, 6, 5]), w),
  ]
  const [x, w] = [drawn([4, 6, 5], 'bfloat16'), drawn([5, 3], 'bfloat16')]
  const compiled = compile(f)
  for (const each of [x, t.neg(x)]) expect(difference(compiled(each, w), f(each, w))).toBeUndefined()
})

test('products of bfloat16 that float32 cannot hold are exact, whichever block they are in', () => {
  const scale = (): number => 2 ** (draw() < 0.01 ? -70 : draw() < 0.02 ? -60 : 0)
  const [x, y] = [drawn([2, 270, 280], 'bfloat16', scale), drawn([280, 12], 'bfloat16', scale)]
  const f = (u: t.Tensor, v: t.Tensor): t.Tensor[] => [
    t.matmul(u, v),
    t.matmul(t.mul(u, 2 ** -70), t.mul(v, 2 ** -60)),
  ]
  expect(difference(compile(f)(x, y), f(x, y))).toBeUndefined()
  const [tiny, other] = [t.mul(x, 2 ** -66), t.mul(y, 2 ** -66)]
  expect(difference(compile(f)(tiny, other), f(tiny, other))).toBeUndefined()
})
