import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { vmap } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import * as t from 'tpu-toolkit/tensor'
import {
  argmax,
  argsort,
  type Binary,
  bitcast,
  cast,
  concat,
  cumprod,
  cumsum,
  type DType,
  dtypeFacts,
  dtypes,
  fromBits,
  type IntegerDType,
  isFloat,
  isInteger,
  matmul,
  max,
  min,
  prod,
  reduceAnd,
  reduceOr,
  reduceXor,
  rem,
  sort,
  sum,
  type Tensor,
  take,
  tensor,
  where,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { seed } from '../support/seed.js'

const keys = new Columns('tensor/integers')
const castKeys = new Columns('tensor/integer_casts')
const hashes = keys.facts['hashes'] as Readonly<Record<string, Readonly<Record<string, string>>>>
const integerDTypes = dtypes.filter(isInteger)
const floats = ['float64', 'float32', 'bfloat16', 'float16', 'float8_e4m3fn'] as const

const binary = [
  ...(['add', 'sub', 'mul', 'truncDiv', 'rem', 'minimum', 'maximum', 'equal', 'less', 'lessEqual'] as const),
  ...(['bitwiseAnd', 'bitwiseOr', 'bitwiseXor'] as const),
  ...(['leftShift', 'rightShiftArithmetic', 'rightShiftLogical'] as const),
]
const unary = ['neg', 'sign', 'bitwiseNot', 'populationCount', 'countLeadingZeros', 'abs'] as const

/** Functions of tensors by name. */
const functions = t as unknown as Readonly<Record<string, Binary>>

type Codes = Uint8Array | Uint16Array | Uint32Array | BigUint64Array

function column(from: Columns, name: string, dtype: DType): Codes {
  const { bits } = dtypeFacts(dtype)
  return bits <= 8
    ? from.u8(name)
    : bits === 16
      ? from.u16(name)
      : bits === 32
        ? from.u32(name)
        : from.u64(name)
}

function apply(name: (typeof binary)[number] | (typeof unary)[number] | 'pow', a: Tensor, b: Tensor): Tensor {
  if ((unary as readonly string[]).includes(name)) {
    return (functions[name] as unknown as (x: Tensor) => Tensor)(a)
  }
  if (name !== 'pow') return functions[name]!(a, b)
  const most = Math.min(7, 2 ** (dtypeFacts(a.dtype).bits - 1) - 1)
  return t.pow(a, t.bitwiseAnd(b, most))
}

function namesFor(dtype: DType): (typeof binary | typeof unary)[number][] {
  const { bits, signed } = dtypeFacts(dtype)
  return [...binary, ...unary.filter((name) => name !== 'abs' || (signed && bits >= 8))]
}

describe('arithmetic on integers', () => {
  it.each(integerDTypes.filter((dtype) => dtypeFacts(dtype).bits !== 8))(
    'of %s gives the bits of lax, all pairs up to 4 bits and drawn ones above',
    (dtype) => {
      const [a, b] = ['a', 'b'].map((side) =>
        fromBits(column(keys, `${dtype} ${side}`, dtype), { dtype }),
      ) as [Tensor, Tensor]
      for (const name of [...namesFor(dtype), 'pow' as const]) {
        const result = apply(name, a, b)
        expect(result.toBits(), name).toEqual(column(keys, `${dtype} ${name}`, result.dtype))
      }
    },
  )

  it.each(['int8', 'uint8'] as const)('of %s gives the bits of lax for all 65,536 pairs', (dtype) => {
    const pairs = Array.from({ length: 65536 }, (_, i) => i)
    const a = fromBits(
      pairs.map((i) => i >> 8),
      { dtype },
    )
    const b = fromBits(
      pairs.map((i) => i & 255),
      { dtype },
    )
    for (const name of [...namesFor(dtype), 'pow' as const]) {
      const bits = apply(name, a, b).toBits() as Uint8Array
      expect(createHash('sha256').update(bits).digest('hex'), name).toBe(hashes[dtype]![name])
    }
  })

  it.each(integerDTypes)('of %s is the same broadcast, in place and beside a number', (dtype) => {
    const codes = [0, 1, 2, 3].map((code) => (code * 7919) % 2 ** Math.min(16, dtypeFacts(dtype).bits))
    const x = cast(fromBits(Uint32Array.from(codes), { dtype: 'uint32' }), dtype)
    for (const name of ['add', 'mul', 'bitwiseXor', 'leftShift', 'rem', 'truncDiv'] as const) {
      const f = functions[name]!
      const one = tensor(1, { dtype })
      const expected = f(x, t.broadcastTo(one, [4])).toBits()
      expect(f(x, one).toBits()).toEqual(expected)
      expect(f(x, 1).toBits()).toEqual(expected)
      const out = t.flip(t.flip(x))
      expect(f(out, 1, { out })).toBe(out)
      expect(out.toBits()).toEqual(expected)
    }
  })

  it('on bool is logic for and, or, xor, not, and refused else', () => {
    const a = tensor([true, true, false, false], { dtype: 'bool' })
    const b = tensor([true, false, true, false], { dtype: 'bool' })
    expect(t.bitwiseAnd(a, b).toNested()).toEqual([true, false, false, false])
    expect(t.bitwiseOr(a, b).toNested()).toEqual([true, true, true, false])
    expect(t.bitwiseXor(a, b).toNested()).toEqual([false, true, true, false])
    expect(t.bitwiseNot(a).toNested()).toEqual([false, false, true, true])
    expect(() => t.leftShift(a, b)).toThrow('leftShift: needs integers [bool]')
    expect(() => t.populationCount(a as never)).toThrow('populationCount: needs integers [bool]')
    expect(() => t.bitwiseAnd(tensor(1), 1)).toThrow('bitwiseAnd: needs integers or bool [float32]')
    expect(() => t.div(tensor([1], { dtype: 'int8' }), 1)).toThrow(
      'div: needs a floating-point dtype, cast first [int8]',
    )
  })

  it('takes plain numbers in range and bigints beside 64 bits, and refuses others', () => {
    const x = tensor([1], { dtype: 'int4' })
    expect(() => t.add(x, 8)).toThrow('add: int4 cannot hold this number, cast the tensor first [8]')
    expect(() => t.add(x, 0.5)).toThrow('[0.5]')
    expect(() => t.add(x, 1n)).toThrow('add: int4 cannot hold this number, cast the tensor first [1]')
    expect(() => t.add(x, tensor([1], { dtype: 'int8' }) as never)).toThrow('dtypes differ')
    const wide = tensor([1], { dtype: 'uint64' })
    expect(t.sub(wide, 2n).toNested()).toEqual([2n ** 64n - 1n])
    expect(() => t.add(wide, 2n ** 64n)).toThrow('uint64 cannot hold this number')
    expect(() => t.add(wide, -1)).toThrow('uint64 cannot hold this number')
    expect(() => tensor([1n])).toThrow('tensor: not a value of float32 [1]')
  })
})

describe('cast', () => {
  const every: DType[] = [...integerDTypes, 'bool', ...floats]
  it.each(every)('of %s to every dtype gives the bits of lax, rounded once', (dtype) => {
    const x = fromBits(column(castKeys, dtype, dtype), { dtype })
    for (const to of every.filter((other) => !isFloat(dtype) || !isFloat(other))) {
      expect(cast(x, to).toBits(), to).toEqual(column(castKeys, `${dtype} to ${to}`, to))
    }
  })
})

describe('cast of 64-bit integers', () => {
  it('to float32 and bfloat16 rounds once, whatever bit lies beyond a tie', () => {
    for (let bit = 0n; bit < 38n; bit++) {
      const x = tensor([2n ** 63n + 2n ** 39n + 2n ** bit, 2n ** 63n + 2n ** 55n + 2n ** bit], {
        dtype: 'uint64',
      })
      expect(cast(x, 'float32').toNumbers()[0]).toBe(2 ** 63 + 2 ** 40)
      expect(cast(x, 'bfloat16').toNumbers()[1]).toBe(2 ** 63 + 2 ** 56)
    }
  })
})

describe('reductions of integers', () => {
  const anyIntegers = (dtype: IntegerDType) =>
    fc
      .array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { minLength: 6, maxLength: 6 })
      .map((words) => cast(tensor(words, { dtype: 'uint64', shape: [2, 3] }), dtype))
  const exact = (x: Tensor): bigint[] => (x.toNested() as (number | bigint)[][]).flat().map(BigInt)

  it.each(integerDTypes)(`of %s are those of bigints, wrapped (seed ${seed})`, (dtype) => {
    const { bits, signed } = dtypeFacts(dtype)
    const wrap = (value: bigint): bigint => (signed ? BigInt.asIntN : BigInt.asUintN)(bits, value)
    const results = (x: Tensor): bigint[] => [x.toNested()].flat(2).map((value) => BigInt(value as number))
    fc.assert(
      fc.property(anyIntegers(dtype), (x) => {
        const [a, b, c, d, e, f] = exact(x) as [bigint, bigint, bigint, bigint, bigint, bigint]
        const rows = [
          [a, b, c],
          [d, e, f],
        ] as const
        const folded = (step: (p: bigint, q: bigint) => bigint) => rows.map((row) => wrap(row.reduce(step)))
        expect(results(sum(x, { axis: 1 }))).toEqual(folded((p, q) => p + q))
        expect(results(sum(x, { axis: 0, order: 'pairwise' }))).toEqual([
          wrap(a + d),
          wrap(b + e),
          wrap(c + f),
        ])
        expect(results(prod(x, { axis: 1 }))).toEqual(folded((p, q) => p * q))
        expect(results(reduceAnd(x, { axis: 1 }))).toEqual(folded((p, q) => p & q))
        expect(results(reduceOr(x, { axis: 1 }))).toEqual(folded((p, q) => p | q))
        expect(results(reduceXor(x, { axis: 1 }))).toEqual(folded((p, q) => p ^ q))
        expect(results(max(x, { axis: 1 }))).toEqual(folded((p, q) => (p > q ? p : q)))
        expect(results(min(x, { axis: 1 }))).toEqual(folded((p, q) => (p < q ? p : q)))
        expect(results(cumsum(x, { axis: 1 }))).toEqual([a, a + b, a + b + c, d, d + e, d + e + f].map(wrap))
        expect(results(cumprod(x, { axis: 0 }))).toEqual([a, b, c, a * d, b * e, c * f].map(wrap))
        const y = t.reshape(x, [3, 2])
        const product = [
          a * a + b * c + c * e,
          a * b + b * d + c * f,
          d * a + e * c + f * e,
          d * b + e * d + f * f,
        ]
        for (const order of ['sequential', 'pairwise'] as const) {
          expect(results(matmul(x, y, { order }))).toEqual(product.map(wrap))
        }
        const flat = [a, b, c, d, e, f]
        const sorted = [...flat].sort((p, q) => (p < q ? -1 : p > q ? 1 : 0))
        expect(results(sort(t.reshape(x, [6])))).toEqual(sorted)
        expect(results(take(x, argsort(t.reshape(x, [6])).toNested() as number[]))).toEqual(sorted)
        expect(argmax(x).item()).toBe(flat.indexOf(sorted[5]!))
        expect(results(t.less(x, t.flip(x)))).toEqual(flat.map((v, i) => (v < flat[5 - i]! ? 1n : 0n)))
      }),
      { seed, numRuns: 40 },
    )
  })

  it('give 0, all ones and 1 of no elements', () => {
    for (const dtype of integerDTypes) {
      const none = t.zeros([0], { dtype })
      expect([sum(none), reduceOr(none), reduceXor(none), prod(none)].map((x) => x.item())).toEqual([
        0, 0, 0, 1,
      ])
      expect(t.bitwiseNot(reduceAnd(none)).item()).toBe(0)
    }
    expect(reduceAnd(t.zeros([0], { dtype: 'bool' })).toNested()).toBe(true)
  })
})

describe('compile and vmap', () => {
  it.each(integerDTypes)('of integers of %s give the bits of the function itself', (dtype) => {
    const f = (x: Tensor, y: Tensor): Tensor[] => [
      ...(['add', 'mul', 'rem', 'truncDiv', 'bitwiseOr', 'leftShift', 'rightShiftLogical'] as const).map(
        (name) => functions[name]!(x, y),
      ),
      where(t.less(x, y), x, t.neg(y)),
      t.populationCount(x as Tensor<IntegerDType>),
      cast(x, 'float32'),
      cast(cast(x, 'float64'), dtype),
      concat([x, t.flip(y)]),
      take(x, [2, 0]),
      cumsum(x),
      reduceXor(y as Tensor<IntegerDType>),
      bitcast(x, dtype.startsWith('u') ? (dtype.slice(1) as DType) : (`u${dtype}` as DType)),
    ]
    const codes = column(keys, 'uint64 a', 'uint64').slice(100, 196)
    const x = cast(fromBits(codes, { dtype: 'uint64', shape: [96] }), dtype)
    const y = t.flip(x)
    const expected = f(x, y)
    for (const results of [
      compile(f)(x, y),
      vmap(f)(t.reshape(x, [1, 96]), t.reshape(y, [1, 96])) as Tensor[],
    ]) {
      for (const [i, result] of results.entries()) {
        expect(result.dtype).toBe(expected[i]!.dtype)
        expect(result.toBits(), String(i)).toEqual(expected[i]!.toBits())
      }
    }
  })

  it('of a bitcast to floats keeps the payload of a NaN', () => {
    const f = compile((x: Tensor<'uint32'>) => bitcast(bitcast(t.add(x, 1), 'float32'), 'uint32'))
    const x = tensor([0x7fc00122, 0xffc00000, 1], { dtype: 'uint32' })
    expect(f(x).toNested()).toEqual([0x7fc00123, 0xffc00001, 2])
  })
})

describe('bitcast', () => {
  it('gives every bit back from any dtype of another width, in JAX order of parts', () => {
    const words = tensor([0x01234567, 0x89abcdef], { dtype: 'uint32' })
    expect(bitcast(words, 'uint8').toNested()).toEqual([
      [0x67, 0x45, 0x23, 0x01],
      [0xef, 0xcd, 0xab, 0x89],
    ])
    expect(bitcast(words, 'uint4').toNested()).toEqual([
      [7, 6, 5, 4, 3, 2, 1, 0],
      [15, 14, 13, 12, 11, 10, 9, 8],
    ])
    expect(bitcast(words, 'uint64').toNested()).toBe(0x89abcdef01234567n)
    for (const through of [
      'int2',
      'uint4',
      'float4_e2m1fn',
      'int8',
      'bfloat16',
      'int16',
      'float32',
    ] as const) {
      const back = bitcast(bitcast(words, through), 'uint32')
      expect(back.toBits()).toEqual(words.toBits())
      expect(back.shape).toEqual([2])
    }
    expect(
      bitcast(bitcast(tensor([1, 2, 3, 0], { dtype: 'uint2', shape: [2, 2] }), 'uint4'), 'int4').toNested(),
    ).toEqual([-7, 3])
  })

  it('refuses widths that are no multiples, and a last axis of another length', () => {
    expect(() => bitcast(tensor([1], { dtype: 'float6_e2m3fn' }), 'uint8')).toThrow(
      'bitcast: the bits of one dtype are none of the other [float6_e2m3fn and uint8]',
    )
    expect(() => bitcast(tensor([true], { dtype: 'bool' }), 'uint8')).toThrow('[bool and uint8]')
    expect(() => bitcast(t.zeros([2, 3], { dtype: 'uint8' }), 'uint16')).toThrow(
      'bitcast: from uint8 to uint16 the last axis has 2 elements [2, 3]',
    )
    expect(() => bitcast(tensor(1, { dtype: 'uint8' }), 'uint16')).toThrow('the last axis has 2 elements []')
  })
})

describe('rem', () => {
  it('of floats is exact, with the sign of the dividend', () => {
    const of = (dtype: DType, a: number, b: number): number =>
      rem(tensor([a], { dtype }), tensor([b], { dtype })).toNumbers()[0]!
    expect(of('float32', 5.5, -2)).toBe(1.5)
    expect(of('float64', -1e300, 3)).toBe(-1e300 % 3)
    expect(Object.is(of('bfloat16', -4, 2), -0)).toBe(true)
    expect(of('float16', 65504, 0.0999755859375)).toBe(65504 % 0.0999755859375)
    expect([of('float32', Infinity, 1), of('float32', 1, 0), of('float32', 1, Infinity)]).toEqual([
      Number.NaN,
      Number.NaN,
      1,
    ])
  })
})

describe('elements of 64 bits', () => {
  const most = 2n ** 63n - 1n
  it('are exact in data, toNested, toBits and print, and rounded in toNumbers', () => {
    const x = tensor([most, -3], { dtype: 'int64' })
    expect(x.data).toEqual(BigInt64Array.of(most, -3n))
    expect(x.toNested()).toEqual([most, -3n])
    expect(x.toBits()).toEqual(BigUint64Array.of(most, 2n ** 64n - 3n))
    expect(x.toNumbers()).toEqual(Float64Array.of(2 ** 63, -3))
    expect(String(x)).toBe('int64 [2]\n[9223372036854775807,                  -3]')
    expect(JSON.parse(JSON.stringify(x)).values).toEqual(['9223372036854775807', -3])
    expect(take(x, [1]).item()).toBe(-3)
    expect(() => take(x, [0]).item()).toThrow(
      'item: no number is this integer, read it from data [9223372036854775807]',
    )
  })

  it('compare exactly beyond 2^53', () => {
    const x = tensor([2n ** 53n, 2n ** 53n + 1n], { dtype: 'int64' })
    expect(t.equal(x, t.flip(x)).toNested()).toEqual([false, false])
    expect(t.greater(x, 2n ** 53n).toNested()).toEqual([false, true])
    expect(t.isFinite(x).toNested()).toEqual([true, true])
    expect(t.isInf(x).toNested()).toEqual([false, false])
  })
})
