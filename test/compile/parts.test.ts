import { compile } from 'tpu-toolkit/compile'
import { logAddExp } from 'tpu-toolkit/numerics'
import * as t from 'tpu-toolkit/tensor'
import { expect, test } from 'vitest'
import { difference } from './difference.js'

const values = [0, -0, 1, -1, 0.1, 3.7, -88, 300, 1e-8, -1e-40, Infinity, -Infinity, Number.NaN]
const matrix = (dtype: t.FloatDType): t.Tensor =>
  t.tensor(
    values.flatMap((a) => values.map((b) => a * 0.5 + b)),
    { shape: [values.length, values.length], dtype },
  )

test.each(t.dtypes.filter(t.isFloat))('operations run as their parts give the same bits in %s', (dtype) => {
  const f = (x: t.Tensor): t.Tensor[] => [
    logAddExp(x, t.transpose(x)),
    logAddExp(x, 0),
    t.tril(x),
    t.tril(x, { k: -2 }),
    t.triu(x, { k: 1 }),
    t.triu(t.broadcastTo(x, [2, ...x.shape]), { k: -20 }),
  ]
  const compiled = compile(f)
  const x = matrix(dtype)
  for (const each of [x, t.neg(x), t.flip(x)]) expect(difference(compiled(each), f(each))).toBeUndefined()
})

test('a triangle and logAddExp are loops', () => {
  const compiled = compile((x: t.Tensor) => t.tril(logAddExp(t.triu(x), 0)))
  compiled(t.ones([64, 64], { dtype: 'bfloat16' }))
  expect(new Set(compiled.plan().steps.map(({ kind }) => kind))).toEqual(new Set(['loop']))
  // The mask of a large one would be larger than what it saves.
  compiled(t.ones([600, 600], { dtype: 'bfloat16' }))
  expect(new Set(compiled.plan().steps.map(({ kind }) => kind))).toEqual(new Set(['loop', 'call']))
})
