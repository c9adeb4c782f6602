import { checkpoint, grad, graphOf, record, stopGradient } from 'tpu-toolkit/autodiff'
import { softmax } from 'tpu-toolkit/numerics'
import { add, exp, mul, neg, sin, square, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const names = (x: Parameters<typeof graphOf>[0]): string[] => graphOf(x).map(({ op }) => op)

describe('record, graphOf', () => {
  it('give the operations in the order in which they ran, whatever the order of their results', () => {
    const { a, b } = record({ a: tensor(1), b: tensor(2) })
    const first = exp(a)
    const second = sin(b)
    const third = neg(b)
    const nodes = graphOf([add(third, mul(second, first))])
    expect(nodes.map(({ op }) => op)).toEqual(['input', 'input', 'exp', 'sin', 'neg', 'mul', 'add'])
    expect(nodes.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(nodes[6]!.inputs).toEqual([4, 5])
    expect(nodes[2]!.output.item()).toBe(first.item())
  })

  it('hold constants as tensors, attributes as they are, and give the same tree', () => {
    const x = record({ w: [tensor([1, 2], { dtype: 'bfloat16' })] })
    expect(x.w[0]!.dtype).toBe('bfloat16')
    const [, second, third] = graphOf(sum(mul(x.w[0]!, 3), { accumulate: 'float32' }))
    expect((second!.inputs[1] as Tensor).item()).toBe(3)
    expect(third!.attributes).toMatchObject({ how: { accumulate: 'float32' } })
  })

  it('see through a gradient: its backward pass is recorded, its variables are not shown', () => {
    const x = record(tensor(2))
    const nodes = graphOf(grad((v: Tensor) => exp(square(v)))(x))
    expect(nodes.map(({ op }) => op)).toEqual(['input', 'square', 'exp', 'mul', 'mul', 'mul'])
    expect(nodes.filter(({ op }) => op === 'variable')).toEqual([])
  })

  it('see stopGradient and checkpoint as operations', () => {
    const x = record(tensor([1, 2]))
    expect(names(stopGradient(exp(x)))).toEqual(['input', 'exp', 'stopGradient'])
    expect(names(checkpoint((v: Tensor) => sin(exp(v)))(x))).toEqual(['input', 'checkpoint'])
  })

  it('of what was not recorded there is none', () => {
    expect(graphOf(softmax(tensor([1, 2])))).toEqual([])
    expect(graphOf({})).toEqual([])
  })

  it('nested gradients of untraced arguments leave constants', () => {
    const w = record(tensor(3))
    const nodes = graphOf(grad((x: Tensor) => mul(square(x), w))(tensor(5)))
    expect(nodes.map(({ op }) => op)).toEqual(['input', 'mul', 'mul'])
  })
})
