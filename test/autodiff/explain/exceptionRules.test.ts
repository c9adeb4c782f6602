import { findFirstNonFinite, type NonFinite, record } from 'tpu-toolkit/autodiff'
import * as t from 'tpu-toolkit/tensor'
import { type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

interface Row {
  readonly name: string
  readonly f: (...xs: Tensor[]) => Tensor
  readonly operands: readonly number[][]
}
const float64 = { dtype: 'float64' } as const
const inputs = (lists: readonly number[][], dtype: t.FloatDType): Tensor[] =>
  lists.map((list) => record(tensor(list, { dtype })))
const unary = (name: t.OpName, x: number): Row => ({
  name,
  f: (v) => t.apply(t.ops[name], [v!], undefined),
  operands: [[x]],
})
const dot = (a: Tensor, b: Tensor): Tensor => t.matmul(t.reshape(a, [1, -1]), t.reshape(b, [-1, 1]))
const row = (name: string, f: (a: Tensor, b: Tensor) => Tensor, ...operands: number[][]): Row => ({
  name,
  f: (a, b) => f(a!, b!),
  operands,
})

/** What happened in the operation that is tested. */
function happened(dtype: t.FloatDType, { f, operands }: Row): NonFinite['kind'] | undefined {
  const event = findFirstNonFinite(f(...inputs(operands, dtype)))!
  return event.chain.find(({ kind }) => kind)?.kind ?? event.kind
}

describe('findFirstNonFinite, of every operation that has a pole, adds or multiplies', () => {
  const divisions = [
    unary('reciprocal', 0),
    unary('rsqrt', 0),
    row('div', t.div, [1], [0]),
    row('pow', t.pow, [0], [-1]),
  ]
  const logarithms = [unary('log', 0), unary('log2', 0), unary('log10', 0), unary('log1p', -1)]
  const outside = [unary('sqrt', -1), unary('log', -1), unary('rsqrt', -1), unary('acosh', 0)]
  const differences = [
    row('add', t.add, [Infinity], [-Infinity]),
    row('sub', t.sub, [Infinity], [Infinity]),
    row('sum', (x) => t.sum(x), [Infinity, -Infinity]),
    row('mean', (x) => t.mean(x), [Infinity, -Infinity]),
    row('cumsum', (x) => t.slice(t.cumsum(x), [[1, 2]]), [Infinity, -Infinity]),
    row('matmul', dot, [Infinity, -Infinity], [1, 1]),
  ]
  const products = [
    row('mul', t.mul, [0], [Infinity]),
    row('cumprod', (x) => t.slice(t.cumprod(x), [[1, 2]]), [0, Infinity]),
    row('matmul', dot, [0, 1], [Infinity, 1]),
  ]
  it.each([
    ...divisions.map((of) => [of.name, 'division by zero', of] as const),
    ...logarithms.map((of) => [of.name, 'log of zero', of] as const),
    ...[unary('atanh', 1), unary('atanh', -1), unary('lgamma', 0), unary('lgamma', -3)].map(
      (of) => [of.name, 'pole', of] as const,
    ),
    ...[...outside, row('pow', t.pow, [-1], [0.5])].map((of) => [of.name, 'outside the domain', of] as const),
    ...differences.map((of) => [of.name, 'Inf - Inf', of] as const),
    ...products.map((of) => [of.name, '0 * Inf', of] as const),
    ['div', '0 / 0', row('div', t.div, [0], [0])] as const,
    ['div', 'Inf / Inf', row('div', t.div, [Infinity], [Infinity])] as const,
    ['log1p', 'outside the domain', unary('log1p', -2)] as const,
    ['atanh', 'outside the domain', unary('atanh', 2)] as const,
    ['pow', 'overflow', row('pow', t.pow, [1e30], [2])] as const,
    ['lgamma', 'overflow', unary('lgamma', 1e38)] as const,
    ['mul', 'overflow', row('mul', t.mul, [1e38], [1e38])] as const,
  ])('%s: %s', (_, kind, of) => {
    expect(happened('float32', of)).toBe(kind)
  })

  it('tells the operand past which an exponential overflows, of exponentials', () => {
    const max = t.dtypeFacts('float32').max
    const of = (name: t.OpName, x: number): number | undefined =>
      findFirstNonFinite(unary(name, x).f(...inputs([[x]], 'float32')))!.threshold
    expect([of('exp', 100), of('expm1', 100)]).toEqual([Math.log(max), Math.log(max)])
    expect(of('exp2', 200)).toBe(Math.log2(max))
    expect([of('sinh', 100), of('cosh', 100)]).toEqual(Array(2).fill(Math.log(max) + Math.LN2))
    expect(of('square', 1e30)).toBeUndefined()
  })

  const small = [1e-200]
  it.each([
    ...[unary('exp', -1000), unary('exp2', -2000), unary('sigmoid', -1000), unary('softplus', -1000)],
    ...[unary('silu', -1000), unary('gelu', -100), unary('geluTanh', -100), unary('erfc', 100)],
    ...[unary('square', 1e-200), row('mul', t.mul, small, small), row('div', t.div, small, [1e200])],
    row('pow', t.pow, small, [2]),
    row('atan2', t.atan2, small, [1e200]),
    row('cumprod', (x) => t.slice(t.cumprod(x), [[1, 2]]), [1e-200, 1e-200]),
    row('matmul', dot, small, small),
  ])('$name: a zero that float64 too rounds to zero is told as one', ({ name, f, operands }) => {
    const event = findFirstNonFinite(t.reciprocal(f(...inputs(operands, 'float64'))))!
    expect(event.kind).toBe('division by zero')
    expect(event.history.find(({ op }) => op === name)!.how).toBe('rounded to zero')
  })

  it.each([
    ...[row('add', t.add, [1], [-1]), row('sub', t.sub, [1], [1]), row('sum', (x) => t.sum(x), [1, -1])],
    ...[row('mean', (x) => t.mean(x), [1, -1]), row('matmul', dot, [1, -1, 0], [1, 1, 5])],
    row('cumsum', (x) => t.slice(t.cumsum(x), [[1, 2]]), [1, -1]),
  ])('$name: a zero by cancellation is told as one', ({ name, f, operands }) => {
    const event = findFirstNonFinite(t.reciprocal(f(...inputs(operands, 'float32'))))!
    expect(event.history.find(({ op }) => op === name)!.how).toBe('cancelled')
  })

  it.each([unary('relu', -1), unary('floor', 0.5), unary('rint', 0.25), unary('trunc', 0.5)])(
    '$name: a zero that it gives by its meaning is told as neither',
    ({ name, f, operands }) => {
      const event = findFirstNonFinite(t.reciprocal(f(...inputs(operands, 'float32'))))!
      expect(event.history.find(({ op }) => op === name)!.how).toBe('passed')
    },
  )

  const exactly = (
    [
      [row('sum', (x) => t.sum(x), [5, 7, 11]), 23],
      [row('mean', (x) => t.mean(x), [5, 7, 11]), 23 / 3],
      [row('cumsum', (x) => t.slice(t.cumsum(x), [[2, 3]]), [5, 7, 11]), 23],
      [row('cumprod', (x) => t.slice(t.cumprod(x), [[2, 3]]), [5, 7, 11]), 385],
      [row('max', (x) => t.max(x), [5, 11, 7]), 11],
      [row('min', (x) => t.min(x), [7, 5, 11]), 5],
      [row('matmul', dot, [5, 7, 11], [2, 3, 1]), 42],
      [row('concat', (a, b) => t.slice(t.concat([a, b]), [[1, 2]]), [5], [7]), 7],
      [row('where', (a, b) => t.where(t.less(a, b), a, b), [5], [7]), 5],
      [row('cast', (a) => t.cast(t.cast(a, 'bfloat16'), 'float32'), [257]), 256],
    ] as const
  ).map(([of, exact]) => ({ name: of.name, of, exact }))
  it.each(exactly)('$name in float64 of the operands it got', ({ of: { name, f, operands }, exact }) => {
    const event = findFirstNonFinite(t.exp(t.square(t.square(f(...inputs(operands, 'float32'))))))!
    expect(event.kind).toBe('overflow')
    expect(event.history.find(({ op }) => op === name)!.exact).toBe(exact)
  })

  it.each([row('div', t.div, [Infinity], [0]), row('pow', t.pow, [0], [-Infinity])])(
    '$name: an infinity that IEEE 754 gives without an exception was made by none',
    (of) => {
      expect(happened('float32', of)).toBe('input')
    },
  )

  it('tells nothing of what an index is in float64', () => {
    const x = record(tensor([3, 5], float64))
    const event = findFirstNonFinite(t.reciprocal(t.sub(t.cast(t.argmax(x), 'float64'), 1)))!
    expect(event.history.find(({ op }) => op === 'argmax')?.exact).toBeUndefined()
  })
})
