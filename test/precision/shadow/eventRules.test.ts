import { type PrecisionEvent, shadow } from 'tpu-toolkit/precision'
import * as t from 'tpu-toolkit/tensor'
import { type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

interface Row {
  readonly name: string
  readonly f: (xs: readonly Tensor[]) => Tensor
  readonly operands: readonly number[][]
}
const unary = (name: t.OpName, x: number): Row => ({
  name,
  f: ([v]) => t.apply(t.ops[name], [v!], undefined),
  operands: [[x]],
})
const row = (name: string, f: (a: Tensor, b: Tensor) => Tensor, ...operands: number[][]): Row => ({
  name,
  f: ([a, b]) => f(a!, b!),
  operands,
})

function events(dtype: t.FloatDType, { f, operands }: Row): readonly PrecisionEvent[] {
  return shadow(
    f,
    operands.map((list) => tensor(list, { dtype })),
    { check: false },
  ).events
}
const kinds = (dtype: t.FloatDType, of: Row): string[] => events(dtype, of).map(({ kind }) => kind)

/** An infinity with the sign of x, without an event. */
const infinite = (x: Tensor): Tensor => t.mul(x, tensor(Infinity))

describe('events of every operation that has a pole, adds, or may underflow', () => {
  it.each([
    ...[unary('log', 0), unary('log2', 0), unary('log10', 0), unary('log1p', -1), unary('reciprocal', 0)],
    ...[unary('rsqrt', 0), unary('atanh', 1), unary('atanh', -1), unary('lgamma', 0), unary('lgamma', -3)],
    ...[row('div', t.div, [1], [0]), row('pow', t.pow, [0], [-1])],
  ])('$name divides by zero on its pole', (of) => {
    expect(kinds('float32', of)).toEqual(['divideByZero'])
  })

  it.each([
    ...[unary('exp', 1e4), unary('sinh', 1e4), row('div', t.div, [1e300], [1e-300])],
    ...[row('pow', t.pow, [1e300], [2]), row('mul', t.mul, [1e300], [1e300])],
  ])('$name overflows elsewhere', (of) => {
    expect(kinds('float64', of)).toEqual(['overflow'])
  })

  it.each([
    [row('add', (a, b) => t.add(infinite(a), infinite(b)), [1], [-1]), 'Inf - Inf'],
    [row('sub', (a, b) => t.sub(infinite(a), infinite(b)), [1], [1]), 'Inf - Inf'],
    [row('mul', (a, b) => t.mul(a, infinite(b)), [0], [1]), '0 * Inf'],
    [row('div', t.div, [0], [0]), '0 / 0'],
    [row('div', (a, b) => t.div(infinite(a), infinite(b)), [1], [1]), 'Inf / Inf'],
    [unary('sqrt', -1), 'sqrt(-1)'],
    [unary('atanh', 2), 'atanh(2)'],
    [row('pow', t.pow, [-1], [0.5]), 'pow(-1, 0.5)'],
    [row('sum', (x) => t.sum(infinite(x)), [1, -1]), 'sum of infinities'],
  ] as const)('$0.name is called $1', (of, form) => {
    expect(events('float32', of)).toMatchObject([{ kind: 'invalid', form }])
  })

  it('an overflow to NaN, in a format without infinities, is an overflow, and a pole is one', () => {
    expect(kinds('float8_e4m3fn', row('mul', t.mul, [400], [400]))).toEqual(['overflow'])
    expect(kinds('float8_e4m3fn', unary('log', 0))).toEqual(['divideByZero'])
    expect(kinds('float8_e4m3fn', unary('log', -1))).toEqual(['invalid'])
  })

  const tiny = 1e-310
  it.each([
    ...['sin', 'tan', 'asin', 'atan', 'sinh', 'tanh', 'asinh', 'atanh', 'expm1', 'log1p', 'erf'].map((name) =>
      unary(name as t.OpName, tiny),
    ),
    ...[unary('exp', -1000), unary('exp2', -2000), unary('sigmoid', -1000), unary('softplus', -1000)],
    ...[unary('silu', -1000), unary('gelu', -100), unary('geluTanh', -100), unary('erfc', 100)],
    ...[row('mul', t.mul, [1e-200], [1e-200]), row('div', t.div, [1e-200], [1e200])],
    ...[unary('square', 1e-200), row('pow', t.pow, [0.5], [2000]), row('atan2', t.atan2, [1e-200], [1e200])],
    ...[row('atan2', t.atan2, [1e-310], [1]), unary('exp2', -1040.5), unary('exp', -740)],
  ])('$name underflows, though float64 gives the same', (of) => {
    expect(kinds('float64', of)).toEqual(['underflow'])
  })

  it.each([
    ...[unary('sin', 0), unary('tanh', 0), unary('sqrt', 0), unary('relu', tiny), unary('exp2', -1040)],
    ...[row('atan2', t.atan2, [0], [1]), row('pow', t.pow, [0], [2])],
    ...[row('mul', t.mul, [tiny], [1]), row('mul', t.mul, [0], [1]), row('div', t.div, [0], [2])],
    row('exp', (x) => t.exp(t.mul(x, tensor(Infinity, { dtype: 'float64' }))), [-1]),
    row('cumprod', (x) => t.cumprod(x), [1, 1]),
  ])('$name that loses nothing has no event', (of) => {
    expect(kinds('float64', of)).toEqual([])
  })

  const ones = Array<number>(300).fill(1)
  const how = { accumulate: 'bfloat16' } as const
  it.each([
    [row('sum', (x) => t.sum(x, how), ones), 0, 44],
    [row('mean', (x) => t.mean(x, how), ones), 0, 44],
    [row('cumsum', (x) => t.cumsum(x, how), ones), 256, 44],
  ] as const)('$0.name tells the additions that changed nothing', (of, element, count) => {
    expect(events('bfloat16', of)).toMatchObject([{ kind: 'absorb', element, count }])
  })

  it('tell of sums and differences which way they lost what', () => {
    expect(kinds('bfloat16', row('add', t.add, [256], [1]))).toEqual(['absorb'])
    expect(kinds('bfloat16', row('sub', t.sub, [1], [1024]))).toEqual(['absorb'])
    expect(kinds('bfloat16', row('sub', t.sub, [1], [1]))).toEqual(['cancel'])
    expect(kinds('bfloat16', row('add', t.add, [1], [1]))).toEqual([])
  })
})
