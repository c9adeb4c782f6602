import { dequantize, pack, quantize, unpack } from 'tpu-toolkit/blocks'
import { blockElements, decode, dequantizeBlocks, quantizeBlocks, round } from 'tpu-toolkit/formats'
import { cast, tensor, transpose } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const wave = (length: number): Float32Array =>
  Float32Array.from({ length }, (_, i) => Math.tan(1 + i) * 2 ** (i % 5))

describe('quantize(x, { axis })', () => {
  const x = tensor(wave(4 * 6 * 8), { shape: [4, 6, 8] })

  it.each([0, 1, 2, -1, -2])('axis %i: quantises every lane of that axis', (given) => {
    const axis = given < 0 ? given + 3 : given
    const blockSize = [2, 3, 4][axis]!
    const blocks = quantize(x, { element: 'float6_e2m3fn', blockSize, axis: given, scale: 'rceil' })
    expect([blocks.axis, blocks.shape, blocks.packed]).toEqual([axis, [4, 6, 8], false])
    const back = dequantize(blocks)
    expect(back.shape).toEqual([4, 6, 8])
    const strides = [48, 8, 1]
    const [outer, inner] = [0, 1, 2].filter((i) => i !== axis) as [number, number]
    for (let i = 0; i < x.shape[outer]!; i++) {
      for (let j = 0; j < x.shape[inner]!; j++) {
        const places = Array.from(
          { length: x.shape[axis]! },
          (_, k) => i * strides[outer]! + j * strides[inner]! + k * strides[axis]!,
        )
        const lane = Float32Array.from(places, (place) => x.data[place]!)
        const alone = dequantizeBlocks(
          quantizeBlocks(lane, { element: 'float6_e2m3fn', blockSize, scale: 'rceil' }),
        )
        expect(Float32Array.from(places, (place) => back.data[place]!)).toEqual(alone)
      }
    }
  })

  it('of the last axis is quantizeBlocks of the data, and of axis 0 that of the transposed', () => {
    const y = tensor(wave(64 * 32), { shape: [64, 32] })
    const plain = quantizeBlocks(y.data, { element: 'float8_e5m2' })
    const last = quantize(y, { element: 'float8_e5m2' })
    expect([last.codes, last.scales]).toEqual([plain.codes, plain.scales])
    const first = quantize(y, { element: 'float8_e5m2', axis: 0 })
    const turned = quantize(transpose(y), { element: 'float8_e5m2' })
    expect([first.codes, first.scales]).toEqual([turned.codes, turned.scales])
    expect(dequantize(first)).toEqual(transpose(dequantize(turned)))
  })

  it('takes every dtype whose values are float32', () => {
    const y = tensor(wave(64), { dtype: 'bfloat16' })
    expect(quantize(y, { element: 'int8' })).toEqual(quantize(cast(y, 'float32'), { element: 'int8' }))
    for (const dtype of ['float64', 'int32', 'bool'] as const) {
      expect(() => quantize(tensor(new Float32Array(32), { dtype }), { element: 'int8' })).toThrow(
        new TypeError(`quantize: needs values that are float32, cast first [${dtype}]`),
      )
    }
  })

  it('throws where blocks do not divide the axis, also where they divide the whole', () => {
    const y = tensor(new Float32Array(64), { shape: [2, 32] })
    expect(() => quantize(y, { element: 'int8', axis: 0 })).toThrow(
      new RangeError(
        'quantize: blocks of 32 do not divide axis 0, pad it with zeros to 32 or name another axis [length 2]',
      ),
    )
    expect(() => quantize(y, { element: 'int8', blockSize: 24 })).toThrow(
      new RangeError(
        'quantize: blocks of 24 do not divide axis 1, pad it with zeros to 48 or name another axis [length 32]',
      ),
    )
    expect(() => quantize(y, { element: 'int8', axis: 2 })).toThrow(
      new RangeError('quantize: axis outside 2 dimensions [2]'),
    )
    expect(() => quantize(tensor(1), { element: 'int8' })).toThrow(
      new RangeError('quantize: axis outside 0 dimensions [-1]'),
    )
    expect(() => quantize(y, { element: 'int8', scale: 'round' as never })).toThrow(
      new RangeError('quantizeBlocks: scale is none of floor rceil ceil even [round]'),
    )
  })

  it('of an empty tensor is empty', () => {
    const empty = quantize(tensor(new Float32Array(0), { shape: [0, 32] }), {
      element: 'float4_e2m1fn',
      packed: true,
    })
    expect(dequantize(empty).shape).toEqual([0, 32])
  })
})

describe('dequantize(blocks, dtype)', () => {
  it('rounds element times scale once, straight to the dtype', () => {
    const x = tensor(wave(96))
    for (const options of [
      { element: 'float6_e2m3fn' } as const,
      { element: 'float4_e2m1fn', scheme: 'nvfp4', tensorScale: 'amax' } as const,
    ]) {
      const blocks = quantize(x, options)
      const scaleFormat = blocks.scheme === 'mx' ? 'float8_e8m0fnu' : 'float8_e4m3fn'
      const exact = Array.from(blocks.codes, (code, i) => {
        const scale = decode(blocks.scales[Math.floor(i / blocks.blockSize)]!, scaleFormat)
        return decode(code, options.element) * Math.fround(scale * blocks.tensorScale)
      })
      expect(Array.from(dequantize(blocks, 'float64').data)).toEqual(exact)
      expect(Array.from(dequantize(blocks).data)).toEqual(exact.map(Math.fround))
      for (const dtype of ['bfloat16', 'float8_e5m2', 'float16'] as const) {
        expect(Array.from(dequantize(blocks, dtype).toNumbers())).toEqual(exact.map((v) => round(v, dtype)))
      }
    }
  })

  it('gives the canonical NaN for a block whose scale is NaN, in every dtype', () => {
    const blocks = quantize(tensor([1, -Infinity, 1, 2]), { element: 'int8', blockSize: 2 })
    expect(dequantize(blocks).toBits().slice(0, 2)).toEqual(Uint32Array.of(0x7fc00000, 0x7fc00000))
    expect(Array.from(dequantize(blocks, 'bfloat16').data)).toEqual([0x7fc0, 0x7fc0, 0x3f80, 0x4000])
    expect(() => dequantize(blocks, 'int32' as never)).toThrow(
      new TypeError('dequantize: needs a floating-point dtype [int32]'),
    )
  })
})

describe('pack(blocks)', () => {
  it.each(blockElements)('%s: stores fewer bytes and means the same', (element) => {
    const blocks = quantize(tensor(wave(128), { shape: [32, 4] }), { element, axis: 0 })
    const bits = Number(/\d/.exec(element)?.[0])
    const packed = pack(blocks)
    expect([packed.packed, packed.codes.length]).toEqual([true, 16 * bits])
    expect(pack(packed)).toBe(packed)
    expect(unpack(blocks)).toBe(blocks)
    expect(unpack(packed)).toEqual(blocks)
    expect(dequantize(packed)).toEqual(dequantize(blocks))
    expect(packed).toEqual(
      quantize(tensor(wave(128), { shape: [32, 4] }), { element, axis: 0, packed: true }),
    )
  })

  it('throws where codes fill no whole number of bytes', () => {
    const blocks = quantize(tensor([1, 2, 3]), { element: 'float4_e2m1fn', blockSize: 3 })
    expect(() => pack(blocks)).toThrow(
      new RangeError('packCodes: codes of 4 bits fill no whole number of bytes [3]'),
    )
    expect(() =>
      unpack({
        ...pack(quantize(tensor(wave(32)), { element: 'float6_e3m2fn' })),
        codes: new Uint8Array(23),
      }),
    ).toThrow(new RangeError('unpackCodes: 32 codes of 6 bits are 24 bytes [23]'))
  })
})
