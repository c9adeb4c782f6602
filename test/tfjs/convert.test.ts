import fc from 'fast-check'
import { encodeArray, format, formatNames } from 'tpu-toolkit/formats'
import { cast, type DType, fromBits, type Tensor, tensor, zeros } from 'tpu-toolkit/tensor'
import { bindTfjs } from 'tpu-toolkit/tfjs'
import { beforeAll, describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'
import { tfBackends } from '../support/tfjs.js'

/** Signed zeros, the ends of the subnormals and of the finite numbers, Inf, and NaN of both signs. */
const special = fromBits(
  [
    0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
    0x7fc00000, 0xffc00000,
  ],
  { dtype: 'float32' },
)

const everyCode = (dtype: (typeof formatNames)[number]): Tensor => {
  const { bits } = format(dtype)
  const codes = Array.from({ length: 2 ** bits }, (_, code) => code)
  return fromBits(codes, { dtype })
}

describe.each(tfBackends())('tensors to and from tfjs on $name', ({ tf, use }) => {
  const { toTf, fromTf } = bindTfjs(tf)
  beforeAll(use)

  it('toTf(float32) gives tf the same bits, fromTf gives them back', () => {
    const there = toTf(special)
    expect(there.dtype).toBe('float32')
    expect(new Uint32Array((there.dataSync() as Float32Array).slice().buffer)).toEqual(special.toBits())
    expect(fromTf(there).toBits()).toEqual(special.toBits())
  })

  it(`toTf and fromTf are inverses over all float32 patterns but NaN's (seed ${seed})`, () => {
    const patterns = fc.uint32Array({ minLength: 1, maxLength: 64 })
    fc.assert(
      fc.property(patterns, (bits) => {
        const numbers = bits.map((code) => ((code & 0x7f800000) === 0x7f800000 ? code & 0xff800000 : code))
        const x = fromBits(numbers, { dtype: 'float32' })
        expect(fromTf(toTf(x)).toBits()).toEqual(numbers)
      }),
      { seed, numRuns: 50 },
    )
  })

  it.each(formatNames)(
    'toTf(%s) is exact in float32 for every code, and fromTf brings the code back',
    (dtype) => {
      const x = everyCode(dtype)
      const there = toTf(x)
      expect(there.dtype).toBe('float32')
      const values = x.toNumbers()
      const differs = (other: ArrayLike<number>): number =>
        values.findIndex((value, code) => !Object.is(value, other[code]))
      expect(differs(there.dataSync() as Float32Array)).toBe(-1)
      const back = fromTf(there, { dtype })
      expect(back.dtype).toBe(dtype)
      expect(differs(back.toNumbers())).toBe(-1)
      const lost = (code: number, at: number): boolean => code !== at && !Number.isNaN(values[at])
      expect(Array.from(back.toBits() as Uint16Array).findIndex(lost)).toBe(-1)
    },
  )

  it('toTf and fromTf keep int32 and bool', () => {
    const whole = tensor(
      [
        [0, -1],
        [2 ** 31 - 1, -(2 ** 31)],
      ],
      { dtype: 'int32' },
    )
    expect(toTf(whole).dtype).toBe('int32')
    expect(fromTf(toTf(whole)).toNested()).toEqual(whole.toNested())
    const flags = tensor([true, false, true], { dtype: 'bool' })
    expect(toTf(flags).dtype).toBe('bool')
    expect(fromTf(toTf(flags)).dtype).toBe('bool')
    expect(fromTf(toTf(flags)).toNested()).toEqual([true, false, true])
    expect(fromTf(tf.tensor1d([true, false], 'bool'), { dtype: 'bfloat16' }).toNested()).toEqual([1, 0])
  })

  it.each([[[]], [[0]], [[2, 0, 3]], [[1, 1]], [[2, 3, 4]]])('toTf and fromTf keep the shape %j', (shape) => {
    const x = zeros(shape)
    expect(toTf(x).shape).toEqual(shape)
    expect(fromTf(toTf(x)).shape).toEqual(shape)
  })

  it('fromTf(x, { dtype }) rounds once, nearest even, as formats do', () => {
    const values = Float32Array.of(1.00390625, 1.01171875, 3e38, 3.4e38, 1e-45, -0, 7.3)
    for (const dtype of ['bfloat16', 'float16', 'float8_e4m3fn'] as const) {
      expect(fromTf(tf.tensor1d(values), { dtype }).toBits()).toEqual(encodeArray(values, dtype))
    }
    expect(fromTf(tf.tensor1d(values), { dtype: 'float64' }).toNumbers()).toEqual(Float64Array.from(values))
    expect(fromTf(tf.tensor1d([2.9, -1e10]), { dtype: 'int32' }).toNested()).toEqual([2, -(2 ** 31)])
  })

  it('what toTf and fromTf give shares no memory with what they were given', () => {
    const x = tensor([1, 2])
    const there = toTf(x)
    x.data[0] = 7
    expect(Array.from(there.dataSync())).toEqual([1, 2])
    const back = fromTf(there)
    ;(back.data as Float32Array)[0] = 9
    expect(Array.from(there.dataSync())).toEqual([1, 2])
  })

  it.each([
    ['float64', 'toTf: tfjs has no float64, cast to float32 first [float64]'],
    ['uint32', 'toTf: tfjs has no uint32, cast to int32 or float32 first [uint32]'],
  ] as const)('toTf(%s) throws and says what to cast to', (dtype, message) => {
    const x = tensor([1], { dtype: dtype as DType })
    expect(() => toTf(x)).toThrow(new TypeError(message))
    expect(Array.from(toTf(cast(x, 'float32')).dataSync())).toEqual([1])
  })

  it('fromTf throws for what tensors do not hold', () => {
    expect(() => fromTf(tf.tensor1d(['a']))).toThrow(
      new TypeError('fromTf: a dtype that tensors do not have [string]'),
    )
    expect(() => fromTf({ shape: [1], dtype: 'complex64', dataSync: () => [1, 2] })).toThrow(
      new TypeError('fromTf: a dtype that tensors do not have [complex64]'),
    )
    expect(() => fromTf(tf.tensor1d([1]), { dtype: 'bf16' as DType })).toThrow(
      new TypeError('fromTf: unknown dtype, did you mean bfloat16 [bf16]'),
    )
  })
})

describe('bindTfjs', () => {
  it.each([undefined, null, {}, { tensor: 1 }])('bindTfjs(%j) throws and names what is missing', (value) => {
    expect(() => bindTfjs(value as never)).toThrow(
      new TypeError(
        'bindTfjs: not a TensorFlow.js namespace, pass the tf that makes the model; it lacks [tensor, tidy, keep, engine, customGrad, variableGrads, mean, add, Optimizer]',
      ),
    )
  })
})
