import { valueAndGrad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { parameterCount } from 'tpu-toolkit/model'
import * as nn from 'tpu-toolkit/nn'
import { bernoulli, key as keyOf, normal } from 'tpu-toolkit/random'
import { add, cast, type FloatDType, gelu, matmul, mean, relu, square, sum, tensor } from 'tpu-toolkit/tensor'
import { leavesOf } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'

const drawn = (shape: readonly number[], dtype: FloatDType = 'float32') =>
  cast(normal(keyOf(7), shape), dtype)

describe('linear', () => {
  it('is x W + b, op by op, in the dtypes of its policy', () => {
    for (const dtype of ['float32', 'bfloat16', 'float16'] as const) {
      const layer = nn.linear({ inputs: 5, outputs: 3, policy: { params: dtype } })
      const params = { weight: drawn([5, 3], dtype), bias: drawn([3], dtype) }
      const x = drawn([4, 5], dtype)
      expect(layer.apply(params, x).toBits()).toEqual(add(matmul(x, params.weight), params.bias).toBits())
    }
  })

  it('rounds operands to compute and sums once to output', () => {
    const layer = nn.linear({
      inputs: 64,
      outputs: 2,
      bias: false,
      policy: { params: 'float32', compute: 'bfloat16', output: 'float32' },
    })
    const params = layer.init(keyOf(1))
    const x = drawn([3, 64])
    const wide = (values: ReturnType<typeof drawn>) => cast(cast(values, 'bfloat16'), 'float32')
    expect(params.weight.dtype).toBe('float32')
    expect(layer.apply(params, x).toBits()).toEqual(
      matmul(wide(x), wide(cast(params.weight, 'float32'))).toBits(),
    )
  })

  it('keeps every axis before the last, empty ones too', () => {
    const layer = nn.linear({ inputs: 2, outputs: 3 })
    const params = layer.init(keyOf(0))
    expect(layer.apply(params, tensor([1, 2])).shape).toEqual([3])
    expect(layer.apply(params, drawn([4, 1, 2])).shape).toEqual([4, 1, 3])
    expect(layer.apply(params, tensor([], { shape: [0, 2] })).shape).toEqual([0, 3])
  })

  it('says what is wrong', () => {
    expect(() => nn.linear({ inputs: 0, outputs: 3 })).toThrow(
      new RangeError('linear: inputs is not a whole number, 1 or more [0]'),
    )
    expect(() => nn.linear({ inputs: 3, outputs: 3, policy: { params: 'int32' as 'float32' } })).toThrow(
      new TypeError('linear: policy: params is no floating-point dtype [int32]'),
    )
    const layer = nn.linear({ inputs: 2, outputs: 3 })
    expect(() => layer.apply(layer.init(keyOf(0)), tensor([1, 2, 3]))).toThrow(
      new RangeError('linear: the last axis of x has not 2 features [3]'),
    )
  })
})

describe('embedding', () => {
  const layer = nn.embedding({ count: 4, features: 2 })
  const params = {
    table: tensor([
      [1, 2],
      [3, 4],
      [5, 6],
      [7, 8],
    ]),
  }

  it('gives the rows at integer positions, and adds the gradients of a row read twice', () => {
    const places = tensor(
      [
        [3, 0],
        [3, 1],
      ],
      { dtype: 'int32' },
    )
    expect(layer.apply(params, places).toNested()).toEqual([
      [
        [7, 8],
        [1, 2],
      ],
      [
        [7, 8],
        [3, 4],
      ],
    ])
    const [, gradient] = valueAndGrad((p: typeof params) => sum(layer.apply(p, places)))(params)
    expect(gradient.table.toNested()).toEqual([
      [1, 1],
      [1, 1],
      [0, 0],
      [2, 2],
    ])
  })

  it('says what is wrong', () => {
    expect(() => layer.apply(params, tensor([0.5]))).toThrow(
      new TypeError('embedding: positions are not int32 or uint32 [float32]'),
    )
    expect(() => layer.apply(params, tensor([4], { dtype: 'int32' }))).toThrow(RangeError)
  })
})

describe('dropout', () => {
  it('divides what jax.random.bernoulli keeps, and is nothing without a key', () => {
    const layer = nn.dropout({ rate: 0.25 })
    const x = drawn([50])
    expect(layer.apply({}, x)).toBe(x)
    const kept = bernoulli(keyOf(3), 50, { p: 0.75 })
    const expected = x.toNumbers().map((value, i) => (kept[i] ? Math.fround(value / 0.75) : 0))
    expect(layer.apply({}, x, { key: keyOf(3) }).toNumbers()).toEqual(expected)
  })

  it('says what is wrong', () => {
    expect(() => nn.dropout({ rate: 1 })).toThrow(RangeError)
    expect(() => nn.dropout(0.5 as never)).toThrow('dropout: options are not an object, write { rate: 0.5 }')
  })
})

describe('sequential, residual and pure', () => {
  const net = nn.sequential([
    nn.linear({ inputs: 4, outputs: 8 }),
    nn.pure(relu),
    nn.residual(nn.mlp({ features: 8, hidden: 16 })),
    nn.dropout({ rate: 0.5 }),
    nn.linear({ inputs: 8, outputs: 1, bias: false }),
  ])
  const params = net.init(keyOf(5))

  it('hand on from layer to layer, each with its own parameters and draws', () => {
    const x = drawn([6, 4])
    const [first, , block, , last] = params
    const hidden = relu(add(matmul(x, first.weight as never), first.bias as never))
    const inside = gelu(add(matmul(hidden, block.up.weight as never), block.up.bias as never))
    const down = add(matmul(inside, block.down.weight as never), block.down.bias as never)
    const expected = matmul(add(hidden, down), last.weight as never)
    expect(net.apply(params, x).toBits()).toEqual(expected.toBits())
    expect(net.apply(params, x, { key: keyOf(1) }).toBits()).not.toEqual(expected.toBits())
    expect(params[0].weight.toBits()).not.toEqual(params[2].up.weight.toBits())
  })

  it('compile to the same bits, gradients included', () => {
    const x = drawn([6, 4])
    const step = valueAndGrad((p: typeof params, inputs: typeof x) => mean(square(net.apply(p, inputs))))
    const [value, gradients] = step(params, x)
    const [compiledValue, compiledGradients] = compile(step)(params, x)
    expect(compiledValue.toBits()).toEqual(value.toBits())
    expect(leavesOf(compiledGradients).map((leaf) => leaf.toBits())).toEqual(
      leavesOf(gradients).map((leaf) => leaf.toBits()),
    )
  })

  it('have as many parameters as the planner counts', () => {
    const layers = nn.sequential([
      nn.linear({ inputs: 7, outputs: 5 }),
      nn.pure(relu),
      nn.linear({ inputs: 5, outputs: 3 }),
    ])
    const count = leavesOf(layers.init(keyOf(0))).reduce((total, { size }) => total + size, 0)
    expect(count).toBe(parameterCount({ family: 'mlp', widths: [7, 5, 3] }))
  })

  it('say what is wrong', () => {
    expect(() =>
      nn.residual(nn.linear({ inputs: 2, outputs: 3 })).apply({} as never, tensor([1, 2])),
    ).toThrow()
    expect(() => nn.sequential([relu as never])).toThrow(
      new TypeError('sequential: not a layer, which has init and apply [function]'),
    )
    const wide = nn.residual(nn.linear({ inputs: 2, outputs: 3 }))
    expect(() => wide.apply(wide.init(keyOf(0)), tensor([1, 2]))).toThrow(
      new RangeError('residual: the layer changes the shape [2 and 3]'),
    )
  })
})
