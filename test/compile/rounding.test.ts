import { compile } from 'tpu-toolkit/compile'
import { unaryNames } from 'tpu-toolkit/functions'
import { seeded } from 'tpu-toolkit/random'
import * as t from 'tpu-toolkit/tensor'
import { expect, test } from 'vitest'
import { seed } from '../support/seed.js'
import { difference } from './difference.js'

const narrow = t.dtypes.filter(t.isFloat).filter((dtype) => t.dtypeFacts(dtype).bits <= 16)
const bytes = narrow.filter((dtype) => t.dtypeFacts(dtype).bits <= 8)
const draw = seeded(`rounding ${seed}`)
const word = (): number => Math.floor(draw() * 2 ** 32)

/** What f gives compiled, which says how often f itself was asked. */
function replayed(f: (x: t.Tensor, y: t.Tensor) => t.Tensor[], x: t.Tensor, y: t.Tensor): number {
  let runs = 0
  const compiled = compile((a: t.Tensor, b: t.Tensor) => {
    runs++
    return f(a, b)
  })
  const expected = f(x, y)
  expect(difference(compiled(x, y), expected)).toBeUndefined()
  runs = 0
  expect(difference(compiled(x, y), expected)).toBeUndefined()
  return runs
}

const arithmetic = (x: t.Tensor, y: t.Tensor): t.Tensor[] => [
  ...[t.add(x, y), t.sub(x, y), t.mul(x, y), t.div(x, y)],
  ...[t.minimum(x, y), t.maximum(x, y), t.sqrt(x), t.square(x), t.mul(x, 0.5)],
  // As they are inside of a loop, before they are written as codes.
  ...[t.add(x, y), t.mul(x, y), t.div(x, y), t.sqrt(x)].map((z) => t.cast(z, 'float32')),
]

/** float32 numbers on both sides of every rounding boundary of a format, and some of everywhere. */
function boundaries(dtype: t.FloatDType): t.Tensor<'float32'> {
  const codes = Array.from({ length: Math.min(2 ** t.dtypeFacts(dtype).bits, 2048) }, (_, code) =>
    t.dtypeFacts(dtype).bits > 8 ? word() & 0xffff : code,
  )
  const values = t.fromBits(codes, { shape: [codes.length], dtype }).toNumbers()
  const near = [...values].flatMap((value, i) => {
    const middle = (value + values[(i + 1) % values.length]!) / 2
    return [value, middle]
  })
  const bits = new Int32Array(Float32Array.from(near).buffer)
  const all = [...bits].flatMap((each) => [each - 1, each, each + 1])
  for (let i = 0; i < 20_000; i++) all.push(word())
  const floats = new Float32Array(Int32Array.from(all).buffer).map((x) => (Number.isNaN(x) ? 0 : x))
  return t.tensor(floats, { shape: [floats.length] })
}

test.each(bytes)('operations on all pairs of codes of %s are those of the function itself', (dtype) => {
  const count = 2 ** t.dtypeFacts(dtype).bits
  const codes = Array.from({ length: count }, (_, code) => code)
  // What comes in with the sign of a NaN goes to the function itself.
  const numbers = t.fromBits(codes, { shape: [count], dtype }).toNumbers()
  const own = t.fromBits(
    codes.filter((code) => !Number.isNaN(numbers[code]!)),
    { shape: [numbers.filter((x) => !Number.isNaN(x)).length], dtype },
  )
  const x = t.reshape(own, [own.size, 1])
  for (const inputs of [own, t.abs(own)]) replayed(arithmetic, x, inputs)
})

test.each(bytes)(
  'casts of all codes of %s to other formats of 8 bits are those of the function itself',
  (dtype) => {
    const codes = Array.from({ length: 2 ** t.dtypeFacts(dtype).bits }, (_, code) => code)
    const x = t.fromBits(codes, { shape: [codes.length], dtype })
    const numbers = t.where(t.isNaN(x), t.ones([], { dtype }), x)
    replayed(
      (a) => bytes.flatMap((to) => [t.cast(a, to), t.cast(t.cast(a, to), 'float32')]),
      numbers,
      numbers,
    )
  },
)

test.each(narrow)(
  'casts of float32 numbers about every boundary of %s round as the function itself',
  (dtype) => {
    const x = boundaries(dtype)
    const f = (a: t.Tensor, b: t.Tensor): t.Tensor[] => [t.cast(a, dtype), t.cast(b, dtype)]
    replayed(f, x, t.cast(x, 'float64'))
    replayed(f, t.maximum(x, -2), t.mul(t.cast(t.maximum(x, -2), 'float64'), 1 + 2 ** -40))
  },
)

test.each(['float16', 'bfloat16'] as const)(
  'operations on random operands of %s are those of the function itself',
  (dtype) => {
    const operand = (): t.Tensor => {
      const codes = Array.from({ length: 30_000 }, () => word() & 0xffff)
      const x = t.fromBits(codes, { shape: [codes.length], dtype })
      return t.where(t.isNaN(x), t.zeros([], { dtype }), x)
    }
    expect(replayed(arithmetic, operand(), operand())).toBe(0)
  },
)

test('a NaN above the largest float8_e4m3fn is computed with, one below goes to the function itself', () => {
  const f = (x: t.Tensor, y: t.Tensor): t.Tensor[] => {
    const z = t.mul(x, y)
    return [z, t.add(z, 1), t.abs(z), t.cast(z, 'float32'), t.exp(z), t.maximum(z, x)]
  }
  const made = (values: readonly number[]): t.Tensor => t.tensor(values, { dtype: 'float8_e4m3fn' })
  expect(replayed(f, made([1, 300, 2]), made([2, 2, -3]))).toBe(0)
  expect(replayed(f, made([1, 300, 2]), made([2, -2, -3]))).toBe(1)
  expect(replayed((x) => [t.reciprocal(x)], made([0, 1]), made([0]))).toBe(0)
  expect(replayed((x) => [t.reciprocal(x)], made([-0, 1]), made([0]))).toBe(1)
  // What lies behind the last element is not looked at.
  for (let n = 1; n < 20; n++) {
    const x = made(Array.from({ length: n }, () => 256))
    replayed((a, b) => [t.sub(a, b)], t.neg(x), x)
    expect(replayed((a, b) => [t.add(a, b)], t.abs(x), t.zeros([n], { dtype: 'float8_e4m3fn' }))).toBe(0)
  }
})

test.each(unaryNames)('%s of float32 is that of the function itself', (name) => {
  const special = [
    0,
    -0,
    1,
    -1,
    0.5,
    1e-40,
    -1e-40,
    3e38,
    -3e38,
    Infinity,
    -Infinity,
    Number.NaN,
    88.8,
    -104,
    20,
  ]
  const drawn = new Float32Array(Uint32Array.from({ length: 2100 }, word).buffer)
  const values = [
    ...special,
    ...[...drawn].filter((x) => !Number.isNaN(x)),
    ...[...drawn].map(() => draw() * 20 - 10),
  ]
  const x = t.tensor(values, { shape: [values.length] })
  const f = (a: t.Tensor): t.Tensor[] => [t.apply(t.ops[name], [a], undefined)]
  expect(replayed(f, x, x)).toBe(0)
})

test.each(['float32', 'float64', 'bfloat16', 'float8_e5m2', 'int32'] as const)(
  'comparisons, properties and logic of all pairs of special values of %s are those of the function itself',
  (dtype) => {
    const floats = [Number.NaN, -Infinity, Infinity, 2 ** -16, -0]
    const special = [...(dtype === 'int32' ? [] : floats), -2, -1, 0, 1, 2]
    const [x, y] = [special.flatMap((a) => special.map(() => a)), special.flatMap(() => special)]
    const f = (a: t.Tensor, b: t.Tensor): t.Tensor[] => {
      const compared = [t.equal, t.notEqual, t.less, t.lessEqual, t.greater, t.greaterEqual].map((is) =>
        is(a, b),
      )
      const is = [t.isFinite(a), t.isInf(a), t.isNaN(a)]
      const [less, equal] = [t.less(a, b), t.equal(a, b)]
      return [
        ...[...compared, ...is],
        ...[t.logicalAnd(less, is[0]!), t.logicalOr(less, equal), t.logicalNot(less)],
        t.where(less, a, b),
      ]
    }
    const shape = { shape: [x.length], dtype }
    expect(replayed(f, t.tensor(x, shape), t.tensor(y, shape))).toBe(0)
  },
)
