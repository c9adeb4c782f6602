import {
  arange,
  type DType,
  dtypeFacts,
  dtypes,
  fromBits,
  full,
  isFloat,
  ones,
  tensor,
  zeros,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

describe('tensor', () => {
  it('reads shape from nesting, scalars and empty arrays included', () => {
    expect(tensor(3).shape).toEqual([])
    expect(tensor([]).shape).toEqual([0])
    expect(tensor([[], []]).shape).toEqual([2, 0])
    expect(
      tensor([
        [1, 2, 3],
        [4, 5, 6],
      ]).shape,
    ).toEqual([2, 3])
    expect(tensor(Float64Array.of(1, 2, 3, 4), { shape: [2, 2] }).toNested()).toEqual([
      [1, 2],
      [3, 4],
    ])
  })

  it('rounds float64 straight to the dtype, never through float32', () => {
    const x = 1 + 2 ** -8 + 2 ** -40
    expect([...tensor([x], { dtype: 'bfloat16' }).data]).toEqual([0x3f81])
    expect([...tensor(Float64Array.of(x), { dtype: 'bfloat16' }).data]).toEqual([0x3f81])
    expect([...tensor([Math.fround(x)], { dtype: 'bfloat16' }).data]).toEqual([0x3f80])
  })

  it('keeps the sign of a NaN from a Float32Array or Float64Array', () => {
    const minus = new Float32Array(Uint32Array.of(0xffc12345).buffer)
    expect([...tensor(minus, { dtype: 'bfloat16' }).toBits()]).toEqual([0xffc0])
    const wide = new Float64Array(BigUint64Array.of(0xfff8000000000001n).buffer)
    expect([...tensor(wide, { dtype: 'bfloat16' }).toBits()]).toEqual([0xffc0])
  })

  it('refuses ragged nesting, wrong sizes, unknown dtypes and numbers an integer cannot hold', () => {
    expect(() => tensor([[1, 2], [3]])).toThrow(
      new RangeError('tensor: ragged nesting, rows differ in length [[3]]'),
    )
    expect(() => tensor([[1], 2])).toThrow(RangeError)
    expect(() => tensor(['1'] as never)).toThrow(new TypeError('tensor: not a number [1]'))
    expect(() => tensor([1, 2, 3], { shape: [2, 2] })).toThrow(
      new RangeError('tensor: shape does not hold 3 elements [2, 2]'),
    )
    expect(() => tensor([1], { shape: [-1] })).toThrow(new RangeError('tensor: not a shape [-1]'))
    expect(() => tensor([1], { dtype: 'bf16' as never })).toThrow(
      new TypeError('tensor: unknown dtype, did you mean bfloat16 [bf16]'),
    )
    expect(() => tensor([1.5], { dtype: 'int32' })).toThrow(
      new RangeError('tensor: not a value of int32 [1.5]'),
    )
    expect(() => tensor([-1], { dtype: 'uint32' })).toThrow(
      new RangeError('tensor: not a value of uint32 [-1]'),
    )
    expect(() => tensor([2], { dtype: 'bool' })).toThrow(new RangeError('tensor: not a value of bool [2]'))
  })

  it('is float32 by default', () => {
    expect(tensor([0.1]).item()).toBe(Math.fround(0.1))
    expect(tensor([0.1]).dtype).toBe('float32')
  })
})

describe('fromBits and toBits', () => {
  it.each(dtypes)('fromBits(x.toBits()) is x in %s, every code up to 16 bits', (dtype) => {
    const width = Math.min(16, dtypeFacts(dtype).bits)
    const codes =
      dtypeFacts(dtype).bits === 64
        ? BigUint64Array.of(0n, 1n << 63n, 0x7ff0000000000001n, 0xfff8000000000123n, 0x3ff0000000000000n)
        : Uint32Array.from({ length: 2 ** width }, (_, i) =>
            dtypeFacts(dtype).bits === 32 ? Math.imul(i, 65537) >>> 0 : i,
          )
    const x = fromBits(codes, { dtype })
    const again = fromBits(x.toBits(), { dtype, shape: x.shape })
    for (const bits of [x.toBits(), again.toBits()]) {
      expect(codes instanceof Uint32Array ? Uint32Array.from(bits as Uint32Array) : bits).toEqual(codes)
    }
  })

  it('refuses codes outside the dtype and the wrong kind of array', () => {
    expect(() => fromBits([16], { dtype: 'float4_e2m1fn' })).toThrow(
      new RangeError('fromBits: not a code of float4_e2m1fn [16]'),
    )
    expect(() => fromBits([65536], { dtype: 'bfloat16' })).toThrow(
      new RangeError('fromBits: not a code of bfloat16 [65536]'),
    )
    expect(() => fromBits([1], { dtype: 'float64' })).toThrow(TypeError)
    expect(() => fromBits(BigUint64Array.of(1n), { dtype: 'float32' })).toThrow(TypeError)
    expect(() => fromBits([1, 2], { dtype: 'bfloat16', shape: [3] })).toThrow(
      new RangeError('fromBits: shape does not hold 2 elements [3]'),
    )
  })

  it('toBits copies', () => {
    const x = tensor([1], { dtype: 'bfloat16' })
    x.toBits()[0] = 0
    expect(x.item()).toBe(1)
  })
})

describe('full, zeros, ones, arange', () => {
  it('full rounds its value once', () => {
    expect(full([2], 0.1, { dtype: 'bfloat16' }).toNested()).toEqual([0.10009765625, 0.10009765625])
    expect(zeros([2, 0]).shape).toEqual([2, 0])
    expect(ones([2], { dtype: 'int32' }).toNested()).toEqual([1, 1])
    expect(zeros([1], { dtype: 'bool' }).toNested()).toEqual([false])
  })

  it('arange rounds each number once', () => {
    expect(arange(255, 259, { dtype: 'bfloat16' }).toNested()).toEqual([255, 256, 256, 258])
    expect(arange(3, 1).size).toBe(0)
    expect(() => arange(0, Infinity)).toThrow(new RangeError('arange: needs finite ends [0, Infinity]'))
  })
})

describe('toString', () => {
  it('prints dtype, shape and the shortest digits that give each element back', () => {
    expect(String(tensor([0.1, -0, 256], { dtype: 'bfloat16' }))).toBe('bfloat16 [3]\n[0.1,  -0, 256]')
    expect(String(tensor([[0.1], [Infinity]]))).toBe('float32 [2, 1]\n[[     0.1],\n [Infinity]]')
    expect(String(tensor(7, { dtype: 'int32' }))).toBe('int32 [] 7')
    expect(String(tensor([true, false], { dtype: 'bool' }))).toBe('bool [2]\n[ true, false]')
    expect(String(zeros([0, 3]))).toBe('float32 [0, 3] (empty)')
  })

  it('cuts long axes in the middle', () => {
    expect(String(arange(0, 2000))).toBe('float32 [2000]\n[   0,    1,    2,  ..., 1997, 1998, 1999]')
    expect(String(zeros([600, 2])).split('\n')).toHaveLength(8)
  })

  it.each(dtypes.filter(isFloat))('every printed element of %s parses back to itself', (dtype) => {
    const x = fromBits(
      Uint8Array.from({ length: 16 }, (_, i) => i) as never,
      bits(dtype) > 8 ? { dtype: 'float8_e4m3' } : { dtype },
    )
    const cells = String(x)
      .split('\n')
      .slice(1)
      .join('')
      .replace(/[[\] ]/g, '')
      .split(',')
      .map(Number)
    expect(tensor(cells, { dtype: x.dtype }).toString()).toBe(String(x))
  })
})

describe('item and toNested', () => {
  it('item needs exactly one element', () => {
    expect(() => tensor([1, 2]).item()).toThrow(new RangeError('item: needs exactly one element [2]'))
    expect(tensor([[5]]).item()).toBe(5)
  })

  it('toNested gives back nested arrays, booleans for bool', () => {
    expect(tensor([[[1], [2]]]).toNested()).toEqual([[[1], [2]]])
    expect(zeros([2, 0]).toNested()).toEqual([[], []])
    expect(tensor([1, 0], { dtype: 'bool' }).toNested()).toEqual([true, false])
    expect(tensor(4).toNested()).toBe(4)
  })
})

function bits(dtype: DType): number {
  if (dtype === 'bool') return 1
  if (dtype === 'float64') return 64
  const named = Number(/\d+/.exec(dtype)![0])
  return named
}
