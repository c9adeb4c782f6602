import { compile } from 'tpu-toolkit/compile'
import type { Tensor } from 'tpu-toolkit/tensor'
import * as t from 'tpu-toolkit/tensor'
import { expect, test } from 'vitest'

const bf16 = (values: readonly number[]): Tensor<'bfloat16'> => t.tensor(values, { dtype: 'bfloat16' })
const x = bf16([256, 1, 1.0078125, -3])
const y = bf16([1, 0.00390625, 1.0078125, 1000])

test("rounding: 'fused' rounds a chain of bfloat16 once, at its end", () => {
  const chain = (a: Tensor, b: Tensor): Tensor => t.sub(t.add(a, b), a)
  const wide = chain(t.cast(x, 'float32'), t.cast(y, 'float32'))
  expect(compile(chain, { rounding: 'fused' })(x, y)).toEqual(t.cast(wide, 'bfloat16'))
  expect(compile(chain)(x, y)).toEqual(chain(x, y))
  expect(chain(x, y)).not.toEqual(t.cast(wide, 'bfloat16'))
})

test("rounding: 'fused' computes functions of what was not rounded", () => {
  const f = (a: Tensor, b: Tensor): Tensor => t.exp(t.neg(t.mul(a, t.mul(b, 0.001))))
  const wide = (a: Tensor, b: Tensor): Tensor => {
    const small = t.cast(t.tensor(0.001, { dtype: 'bfloat16' }), 'float32')
    return t.exp(t.neg(t.mul(a, t.mul(b, small))))
  }
  const expected = t.cast(wide(t.cast(x, 'float32'), t.cast(y, 'float32')), 'bfloat16')
  expect(compile(f, { rounding: 'fused' })(x, y)).toEqual(expected)
})

test("rounding: 'fused' keeps the casts that the function asks for, and rounds what a loop stores", () => {
  const cast = (a: Tensor, b: Tensor): Tensor => t.sub(t.cast(t.cast(t.add(a, b), 'float32'), 'bfloat16'), a)
  // The sum is a result too, so it is stored, and rounded there; the difference takes it as it was.
  const both = (a: Tensor, b: Tensor): Tensor[] => {
    const sum = t.add(a, b)
    return [sum, t.sub(sum, a)]
  }
  const product = (a: Tensor, b: Tensor): Tensor =>
    t.matmul(t.reshape(t.add(a, b), [2, 2]), t.reshape(b, [2, 2]))
  const fused = { rounding: 'fused' } as const
  expect(compile(cast, fused)(x, y)).toEqual(cast(x, y))
  const [a, b] = [t.cast(x, 'float32'), t.cast(y, 'float32')]
  expect(compile(both, fused)(x, y)).toEqual([t.add(x, y), t.cast(t.sub(t.add(a, b), a), 'bfloat16')])
  expect(compile(product, fused)(x, y)).toEqual(product(x, y))
})

test("rounding: 'fused' changes no dtype but bfloat16", () => {
  const chain = (a: Tensor, b: Tensor): Tensor => t.div(t.sub(t.add(a, b), a), t.exp(b))
  for (const dtype of ['float32', 'float16', 'float64', 'float8_e5m2'] as const) {
    const [a, b] = [t.cast(x, dtype), t.cast(y, dtype)]
    expect(compile(chain, { rounding: 'fused' })(a, b)).toEqual(chain(a, b))
  }
})

test('an unknown rounding is said', () => {
  expect(() => compile((a: Tensor) => a, { rounding: 'fuse' as never })).toThrow('did you mean fused')
})
