import { readFileSync } from 'node:fs'
import { norm, std } from 'tpu-toolkit/numerics'
import * as t from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

type Values = number | string | boolean | readonly Values[]
interface Case {
  readonly op: string
  readonly args: readonly Values[]
  readonly options: Readonly<Record<string, unknown>>
  readonly shape: readonly number[]
  readonly result: Values
}

const key = new URL('../../golden/tensor/composed.json', import.meta.url)
const { cases }: { readonly cases: readonly Case[] } = JSON.parse(readFileSync(key, 'utf8'))

const number = (x: Values): Values =>
  Array.isArray(x)
    ? x.map(number)
    : typeof x === 'string'
      ? Number(x.replace('inf', 'Infinity'))
      : (x as Values)
const float64 = (x: Values): t.Tensor => t.tensor(number(x) as t.Nested, { dtype: 'float64' })
const int32 = (x: Values) => t.tensor(x as t.Nested, { dtype: 'int32' })

// biome-ignore lint/suspicious/noExplicitAny: the key's options are what the functions take.
type Call = (args: readonly any[], options: any) => t.Tensor
const calls: Readonly<Record<string, Call>> = {
  eye: ([rows], options) => t.eye(rows, options),
  linspace: ([start, stop, count], options) => t.linspace(start, stop, count, options),
  all: ([x], options) => t.all(float64(x), options),
  any: ([x], options) => t.any(float64(x), options),
  prod: ([x], options) => t.prod(float64(x), options),
  roll: ([x, shift], options) => t.roll(float64(x), shift, options),
  pad: ([x, widths], options) => t.pad(float64(x), widths, options),
  outer: ([a, b]) => t.outer(float64(a), float64(b)),
  clip: ([x, low, high]) => t.clip(float64(x), low, high),
  sort: ([x], options) => t.sort(float64(x), options),
  argsort: ([x], options) => t.argsort(float64(x), options),
  'topK.values': ([x, k]) => t.topK(float64(x), k).values,
  'topK.indices': ([x, k]) => t.topK(float64(x), k).indices,
  takeAlongAxis: ([x, indices], options) => t.takeAlongAxis(float64(x), int32(indices), options),
  scatterAdd: ([x, indices, updates], options) =>
    t.scatterAdd(float64(x), int32(indices), float64(updates), options),
  oneHot: ([indices, depth], options) => t.oneHot(int32(indices), depth, options),
  einsum: ([subscripts, operands]) => t.einsum(subscripts, operands.map(float64)),
  norm: ([x], options) =>
    norm(float64(x), { ...options, ord: Number(String(options.ord).replace('inf', 'Infinity')) }),
  std: ([x], options) => std(float64(x), options),
}

/** Sums of squares and products are rounded in another order by NumPy: a few of the 24 roundings of 2^-53. */
const rounded: ReadonlySet<string> = new Set(['prod', 'norm', 'std'])

describe('NumPy and JAX', () => {
  it.each(cases.map((each) => [each.op, JSON.stringify(each.options), each] as const))(
    '%s(..., %s) gives their answer',
    (op, _, { args, options, shape, result }) => {
      const actual = calls[op]!(args, options)
      expect(actual.shape).toEqual(shape)
      const expected = number(result)
      const flat = t.tensor(expected as t.Nested, { shape, dtype: 'float64' }).toNumbers()
      for (const [i, x] of actual.toNumbers().entries()) {
        const slack = rounded.has(op) ? 24 * 2 ** -53 * Math.abs(flat[i]!) : 0
        if (!(Math.abs(x - flat[i]!) <= slack)) expect(x).toBe(flat[i])
      }
    },
  )
  it('are asked about every operation of the key', () => {
    expect([...new Set(cases.map(({ op }) => op))].sort()).toEqual(Object.keys(calls).sort())
  })
})

describe('what is made of other operations', () => {
  it('zerosLike(x) and onesLike(x) keep shape and dtype', () => {
    const x = t.tensor([[1, 2, 3]], { dtype: 'bfloat16' })
    expect([t.zerosLike(x).dtype, t.zerosLike(x).toNested()]).toEqual(['bfloat16', [[0, 0, 0]]])
    expect([t.onesLike(x).dtype, t.onesLike(x).toNested()]).toEqual(['bfloat16', [[1, 1, 1]]])
  })
  it('squeeze(x) undoes expandDims(x), and refuses axes that are longer', () => {
    const x = t.tensor([
      [1, 2],
      [3, 4],
    ])
    for (const axis of [0, 1, 2, -1, -2, [0, 2], [-1, 0]]) {
      expect(t.squeeze(t.expandDims(x, axis), { axis }).toNested()).toEqual(x.toNested())
    }
    expect(t.squeeze(t.expandDims(x, [0, 3])).shape).toEqual([2, 2])
    expect(() => t.squeeze(x, { axis: 0 })).toThrow(new RangeError('squeeze: axis 0 has not length 1 [2, 2]'))
  })
  it('matrixTranspose(x) exchanges the last two axes of every matrix, and refuses a vector', () => {
    const x = t.reshape(t.arange(0, 12), [2, 3, 2])
    expect(t.matrixTranspose(x).toNested()).toEqual([
      [
        [0, 2, 4],
        [1, 3, 5],
      ],
      [
        [6, 8, 10],
        [7, 9, 11],
      ],
    ])
    expect(t.matrixTranspose(t.zeros([3, 0])).shape).toEqual([0, 3])
    expect(() => t.matrixTranspose(t.tensor([1, 2]))).toThrow(
      new RangeError('matrixTranspose: needs two axes or more [2]'),
    )
  })
  it('all(x) of nothing is true, any(x) of nothing is false, NaN is true', () => {
    const none = t.zeros([0, 2])
    expect([t.all(none).item(), t.any(none).item(), t.any(t.tensor([Number.NaN])).item()]).toEqual([1, 0, 1])
    expect(t.all(t.tensor([true, false], { dtype: 'bool' })).item()).toBe(0)
  })
  it('allClose(a, b) compares across dtypes, infinities with themselves only', () => {
    const a = t.tensor([1, Infinity, -Infinity], { dtype: 'bfloat16' })
    expect(t.allClose(a, t.tensor([1, Infinity, -Infinity], { dtype: 'float64' }))).toBe(true)
    expect(t.allClose(a, t.tensor([1, Infinity, Infinity]))).toBe(false)
    expect(t.allClose(t.tensor([1e30]), t.tensor([Infinity]), { rtol: 1 })).toBe(false)
    const nan = t.tensor([Number.NaN])
    expect([t.allClose(nan, nan), t.allClose(nan, nan, { equalNaN: true })]).toEqual([false, true])
    expect(t.allClose(t.tensor([[1], [1]]), t.tensor(1.1), { rtol: 0, atol: 0.2 })).toBe(true)
  })
  it('scatterAdd(x, ...) rounds each addition, in the order of the indices, and keeps -0 elsewhere', () => {
    const x = t.tensor([256, -0], { dtype: 'bfloat16' })
    const ones = t.ones([3], { dtype: 'bfloat16' })
    expect(t.scatterAdd(x, [0, 0, 0], ones).toNested()).toEqual([256, -0])
    expect(t.scatterAdd(x, [], t.ones([0], { dtype: 'bfloat16' })).toNested()).toEqual([256, -0])
  })
  it('prod(x) rounds every product to the dtype, or to what it accumulates in', () => {
    const x = t.tensor([1.0078125, 1.0078125, 1.0078125, 256], { dtype: 'bfloat16' })
    expect(t.prod(x).item()).toBe(1.0234375 * 256)
    expect(t.prod(t.zeros([0])).item()).toBe(1)
    expect(t.prod(t.tensor([2 ** 30, 4, 3], { dtype: 'int32' })).item()).toBe(0)
  })
  it('einsum(...) accumulates as matmul does', () => {
    const ones = t.ones([1, 300], { dtype: 'bfloat16' })
    expect(t.einsum('ij,kj->ik', [ones, ones]).item()).toBe(300)
    expect(t.einsum('ij,kj->ik', [ones, ones], { accumulate: 'bfloat16' }).item()).toBe(256)
    expect(t.einsum('ij->', [ones]).item()).toBe(300)
  })
  it('norm(x) overflows where a square does, and not inside float32', () => {
    const x = t.tensor([300, 300], { dtype: 'float16' })
    expect([norm(x).item(), norm(x, { internal: 'float32' }).item()]).toEqual([Infinity, 424.25])
  })
  it.each([
    ['einsum: 2 operands in ij,jk [1 given]', () => t.einsum('ij,jk', [t.zeros([2, 2])])],
    ['einsum: operand 0 has not the axes ij [2]', () => t.einsum('ij', [t.zeros([2])])],
    [
      'einsum: axis j of ij,jk has two lengths [2, 3]',
      () => t.einsum('ij,jk', [t.zeros([2, 2]), t.zeros([3, 2])]),
    ],
    [
      'einsum: subscripts are not letters, ..., commas and one -> [..i]',
      () => t.einsum('..i', [t.zeros([2])]),
    ],
    [
      'einsum: subscripts are not letters, ..., commas and one -> [i->i->i]',
      () => t.einsum('i->i->i', [t.zeros([2])]),
    ],
    [
      'einsum: subscripts are not letters, ..., commas and one -> [...i...]',
      () => t.einsum('...i...', [t.zeros([2])]),
    ],
    ['einsum: operand 0 has not the axes ...ij [2]', () => t.einsum('...ij', [t.zeros([2])])],
    [
      'einsum: the result has no ... for the axes of its operands [...i->i]',
      () => t.einsum('...i->i', [t.zeros([3, 2])]),
    ],
    [
      'einsum: axes of ... in ...,... have two lengths [2, 3]',
      () => t.einsum('...,...', [t.zeros([2]), t.zeros([3])]),
    ],
    [
      'einsum: a letter of the result is not once in it and in an operand [k]',
      () => t.einsum('i->k', [t.zeros([2])]),
    ],
    ['topK: k is not a whole number from 0 to 2 [3]', () => t.topK(t.zeros([2]), 3)],
    ['pad: not one width for each of 1 axes [1,2]', () => t.pad(t.zeros([2]), [1, 2])],
    ['takeAlongAxis: index outside an axis of 2 [2]', () => t.takeAlongAxis(t.zeros([2]), int32([2]))],
    [
      'scatterAdd: updates have another shape [2, not 1]',
      () => t.scatterAdd(t.zeros([2]), [0], t.zeros([2])),
    ],
    ['clip: a limit is missing, null for none [high]', () => t.clip(t.zeros([2]), 0, undefined as never)],
    ['roll: options are not an object, write { axis: 1 } [1]', () => t.roll(t.zeros([2]), 1, 1 as never)],
    [
      'sort: unknown option, did you mean descending [descend]',
      () => t.sort(t.zeros([2]), { descend: true } as never),
    ],
    ['norm: ord is not 1, 2 or Infinity [3]', () => norm(t.zeros([2]), { ord: 3 as never })],
    ['oneHot: indices are not int32 or uint32 [float32]', () => t.oneHot(t.zeros([2]) as never, 3)],
  ])('throws %s', (message, call) => {
    expect(call).toThrow(message)
  })
})
