import * as random from 'tpu-toolkit/random'
import { Tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const key = random.key(3)

describe('a draw of a shape', () => {
  it.each([
    ['normal', random.normal(key, [2, 3]), random.normal(key, 6), 'float32'],
    ['uniform', random.uniform(key, [2, 3], { maxval: 5 }), random.uniform(key, 6, { maxval: 5 }), 'float32'],
    ['exponential', random.exponential(key, [2, 3]), random.exponential(key, 6), 'float32'],
    ['gumbel', random.gumbel(key, [2, 3]), random.gumbel(key, 6), 'float32'],
    ['truncatedNormal', random.truncatedNormal(key, [2, 3]), random.truncatedNormal(key, 6), 'float32'],
    ['bernoulli', random.bernoulli(key, [2, 3], { p: 0.3 }), random.bernoulli(key, 6, { p: 0.3 }), 'bool'],
    ['randint', random.randint(key, [2, 3], { maxval: 9 }), random.randint(key, 6, { maxval: 9 }), 'int32'],
  ] as const)('%s(key, [2, 3]) is the tensor of the six numbers of %s(key, 6)', (_, drawn, flat, dtype) => {
    expect(drawn).toBeInstanceOf(Tensor)
    expect([drawn.dtype, drawn.shape]).toEqual([dtype, [2, 3]])
    expect([...drawn.data]).toEqual([...flat])
  })

  it('normal(key, []) has one element, normal(key, [0, 2]) none', () => {
    expect(random.normal(key, []).item()).toBe(random.normal(key, 1)[0])
    expect(random.normal(key, [0, 2]).shape).toEqual([0, 2])
  })

  it('normal(key, shape) refuses what is no shape, and out', () => {
    expect(() => random.normal(key, [2, -1])).toThrow(new RangeError('normal: not a shape [2, -1]'))
    expect(() => random.normal(key, [2], { out: new Float32Array(2) })).toThrow(
      new RangeError('normal: out is for a number of elements, a shape gives a tensor [2]'),
    )
  })
})
