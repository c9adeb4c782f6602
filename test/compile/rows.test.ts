import { grad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import * as t from 'tpu-toolkit/tensor'
import { expect, test } from 'vitest'
import { difference } from './difference.js'

const drawn = (shape: readonly number[], dtype: t.DType): t.Tensor =>
  t.tensor(
    Array.from(
      { length: t.sizeOf(shape) },
      (_, i) => ((i * 7) % 11) % Math.min(11, t.dtypeFacts(dtype).max + 1),
    ),
    { shape, dtype },
  )

test.each(t.dtypes)(
  'concat, stack, pad and take of %s are steps of a program, in any order of elements',
  (dtype) => {
    const f = (x: t.Tensor, y: t.Tensor): t.Tensor[] => [
      t.concat([x, y]),
      t.concat([x, t.flip(x), x], { axis: 1 }),
      t.concat([t.transpose(y), t.transpose(y)], { axis: -1 }),
      t.stack([x, x], { axis: 1 }),
      t.pad(x, [1, [0, 2]]),
      t.take(x, [2, -1, 0, 0], { axis: 0 }),
      t.take(t.transpose(x), [1], { axis: 1 }),
      t.take(y, [[3, -4]].flat()),
      t.concat([x, t.slice(x, [[0, 0]])]),
    ]
    const [x, y] = [drawn([3, 4], dtype), drawn([5, 4], dtype)]
    const compiled = compile(f)
    for (let call = 0; call < 2; call++) expect(difference(compiled(x, y), f(x, y))).toBeUndefined()
    const steps = compiled.plan().steps.filter(({ shape }) => !shape.includes(0))
    expect(steps.map(({ kind }) => kind)).not.toContain('call')
  },
)

test.each(['int32', 'uint32'] as const)(
  'take by indices of %s is a step, and an index outside an error',
  (dtype) => {
    const f = (x: t.Tensor, at: t.Tensor<'int32' | 'uint32'>): t.Tensor[] => [
      t.take(x, at, { axis: 1 }),
      t.take(x, at),
    ]
    const compiled = compile(f)
    const x = drawn([2, 3, 2], 'bfloat16')
    for (const list of [[0, 2], [1, 1], ...(dtype === 'int32' ? [[-1, -3]] : [])]) {
      const at = t.tensor(list, { dtype }) as t.Tensor<'int32'>
      expect(difference(compiled(x, at), f(x, at))).toBeUndefined()
    }
    expect(compiled.plan().steps.map(({ kind }) => kind)).toEqual(['take', 'take'])
    const outside = t.fromBits([3, 0xffffffff], { shape: [2], dtype }) as t.Tensor<'int32'>
    expect(() => compiled(x, outside)).toThrow('take: index outside an axis of 3 [3]')
  },
)

test.each(['float32', 'bfloat16', 'float16', 'float8_e4m3fn', 'float8_e5m2fnuz'] as const)(
  'sums and extrema of rows and columns of %s have the bits of the function itself',
  (dtype) => {
    const x = t.cast(
      t.tensor(
        Array.from({ length: 11 * 37 }, (_, i) => Math.sin(i * i) / 8),
        { shape: [11, 37] },
      ),
      dtype,
    )
    const f = (a: t.Tensor): t.Tensor[] =>
      [0, 1].flatMap((axis) => [
        ...(['float32', 'float64', dtype] as const).flatMap((accumulate) => [
          t.sum(a, { axis, accumulate }),
          t.mean(a, { axis, accumulate }),
        ]),
        t.max(a, { axis }),
        t.min(a, { axis }),
        t.max(t.where(t.greater(a, 0.1), t.full([], Number.NaN, { dtype }), a), { axis }),
        t.min(t.mul(t.relu(a), -0), { axis }),
      ])
    const compiled = compile(f)
    for (const each of [x, t.slice(x, [[0, 3]]), t.slice(x, [null, [0, 5]])]) {
      expect(difference(compiled(each), f(each))).toBeUndefined()
    }
  },
)

test.each(['float32', 'bfloat16', 'float16', 'float8_e4m3fn', 'float8_e5m2fnuz', 'float64'] as const)(
  'gradients of take, slice and pad of %s are steps with the bits of the function itself',
  (dtype) => {
    const numbers = (shape: readonly number[]): t.Tensor =>
      t.cast(
        t.tensor(
          Array.from({ length: t.sizeOf(shape) }, (_, i) => (i % 5 === 0 ? -0 : Math.sin(i * i) / 4)),
          { shape },
        ),
        dtype,
      )
    const ofTake =
      (sum: object) =>
      (x: t.Tensor, at: t.Tensor<'int32'>, g: t.Tensor): t.Tensor =>
        grad((y: t.Tensor) => t.sum(t.mul(t.take(y, at, { axis: 1 }), g)), { sum })(x)
    const fixed = (x: t.Tensor, _: t.Tensor, g: t.Tensor): t.Tensor =>
      grad((y: t.Tensor) => t.sum(t.mul(t.take(y, [0, 2, 0, 0, 3, 2], { axis: 1 }), g)))(x)
    const sliced = (x: t.Tensor): t.Tensor =>
      grad((y: t.Tensor) => t.sum(t.square(t.slice(t.pad(y, [1, 0, [0, 2]]), [null, [1, null, 2], [0, 4]]))))(
        x,
      )
    const [x, g] = [numbers([2, 5, 7]), numbers([2, 6, 7])]
    const functions = [
      ofTake({}),
      ofTake({ accumulate: dtype }),
      ofTake({ accumulate: 'float64' }),
      fixed,
      sliced,
    ]
    for (const [i, f] of functions.entries()) {
      const compiled = compile(f)
      for (const list of [
        [0, 1, 2, 3, 4, -1],
        [4, 4, 4, 0, -2, 0],
      ]) {
        const at = t.tensor(list, { dtype: 'int32' })
        expect(difference([compiled(x, at, g)], [f(x, at, g)]), `function ${i}`).toBeUndefined()
      }
      const kinds = compiled.plan().steps.map(({ kind }) => kind)
      if (dtype !== 'float64' && i !== 2) expect(kinds).not.toContain('call')
      if (dtype !== 'float64' && i < 2) expect(kinds).toContain('scatter')
      const outside = t.tensor([0, 0, 0, 0, 0, 5], { dtype: 'int32' })
      if (i < 3) expect(() => compiled(x, outside, g)).toThrow('take: index outside an axis of 5 [5]')
    }
  },
)
