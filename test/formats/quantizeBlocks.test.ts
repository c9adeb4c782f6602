import {
  type BlockOptions,
  blockElement,
  blockElements,
  dequantizeBlocks,
  encode,
  quantizeBlocks,
  type ScaleMode,
} from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { bitsOf, blockKeys, floats, significant } from '../support/blockKeys.js'
import { Columns } from '../support/columns.js'

const modes: readonly ScaleMode[] = ['floor', 'rceil', 'ceil', 'even']
const nvfp4 = { element: 'float4_e2m1fn', scheme: 'nvfp4' } as const

describe('answer keys: torchao, and int8 by the same rules', () => {
  const keys = blockKeys()

  it.each(keys)('quantizeBlocks and dequantizeBlocks give the bits of $title', (key) => {
    const blocks = quantizeBlocks(key.values, key.options)
    const nan = blocks.scheme === 'mx' ? 255 : 127
    expect(significant(blocks, nan)).toEqual(significant(key, nan))
    expect(bitsOf(dequantizeBlocks(blocks))).toEqual(key.dequantized)
    if (key.tensorScale !== undefined) {
      expect(bitsOf(Float32Array.of(blocks.tensorScale))[0]).toBe(key.tensorScale)
    }
  })

  it('all 24 MX keys and 9 NVFP4 keys are there', () => expect(keys.length).toBe(33))

  it.each(blockElements)(
    '%s: the facts are those of the key, and even overflows where it says',
    (element) => {
      const key = new Columns(`formats/mx_${element}`).facts
      const { emax, mantissaBits, max } = blockElement(element)
      const [top = 0, bottom = 1] = String(key['max']).split('/').map(Number)
      expect([emax, mantissaBits, max]).toEqual([key['emax'], key['mantissa_bits'], top / bottom])

      const inputs = floats(new Columns('formats/mx_inputs').u32('input_f32'))
      const { scales } = quantizeBlocks(inputs, { element, scale: 'even' })
      const overflowing = Array.from(scales.keys()).filter(
        (block) =>
          inputs.subarray(32 * block, 32 * block + 32).every(Number.isFinite) &&
          scales[block] === (element === 'int8' ? 254 : 255),
      )
      expect(overflowing).toEqual(
        // An int8 block may have the largest scale without rounding past float32: block 14 has.
        expect.arrayContaining(key['blocks_where_even_overflows_float32'] as number[]),
      )
      if (element !== 'int8') expect(overflowing).toEqual(key['blocks_where_even_overflows_float32'])
    },
  )
})

describe('special values', () => {
  it.each(modes)('quantizeBlocks(zeros, %s) has scale code 0 and signed zeros', (scale) => {
    const values = new Float32Array(32).fill(-0, 16)
    const blocks = quantizeBlocks(values, { element: 'float6_e3m2fn', scale })
    expect(blocks.scales).toEqual(Uint8Array.of(0))
    expect(blocks.codes).toEqual(new Uint8Array(32).fill(0x20, 16))
    expect(bitsOf(dequantizeBlocks(blocks))).toEqual(bitsOf(values))
    expect(quantizeBlocks(values, { element: 'int8', scale }).codes).toEqual(new Uint8Array(32))
  })

  it.each([1, 'amax'] as const)(
    'quantizeBlocks(zeros, nvfp4, tensorScale %s) divides by no zero',
    (tensorScale) => {
      const values = new Float32Array(32).fill(-0, 16)
      const blocks = quantizeBlocks(values, { ...nvfp4, tensorScale })
      expect(blocks.scales).toEqual(Uint8Array.of(8, 8))
      expect(blocks.tensorScale).toBe(tensorScale === 1 ? 1 : 2 ** -121)
      expect(bitsOf(dequantizeBlocks(blocks))).toEqual(bitsOf(values))
    },
  )

  it('quantizeBlocks(tiny values, amax) keeps 1 / t finite: t is at least 2^-121', () => {
    const values = new Float32Array(16).fill(2 ** -149, 1, 3)
    values[4] = -(2 ** -118)
    const blocks = quantizeBlocks(values, { ...nvfp4, tensorScale: 'amax' })
    expect(blocks.tensorScale).toBe(2 ** -121)
    // The scale is 8/6 to nearest, 1.375; 8/1.375 to nearest is 6.
    expect(Array.from(blocks.scales)).toEqual([encode(1.375, 'float8_e4m3fn')])
    expect(Array.from(blocks.codes)).toEqual([0, 0, 0, 0, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  })

  it('quantizeBlocks(one Inf, one NaN, amax) leaves the other blocks as they are without them', () => {
    const values = Float32Array.from({ length: 64 }, (_, i) => Math.sin(i))
    const options = { ...nvfp4, tensorScale: 'amax' } as const
    const plain = quantizeBlocks(values, options)
    const broken = values.slice()
    broken[20] = -Infinity
    broken[40] = Number.NaN
    const blocks = quantizeBlocks(broken, options)
    expect(blocks.tensorScale).toBe(plain.tensorScale)
    expect(Array.from(blocks.scales)).toEqual([plain.scales[0], 0x7e, 0x7f, plain.scales[3]])
    expect(blocks.codes[20]).toBe(0xf)
    const back = dequantizeBlocks(blocks)
    expect(back.subarray(0, 16)).toEqual(dequantizeBlocks(plain).subarray(0, 16))
    expect(back[20]).toBe(Math.fround(Math.fround(448 * blocks.tensorScale) * -6))
    expect(bitsOf(back).subarray(32, 48)).toEqual(new Uint32Array(16).fill(0x7fc00000))
  })

  it('quantizeBlocks(Inf or NaN, mx) makes its block NaN, and no other', () => {
    for (const bad of [Infinity, -Infinity, Number.NaN]) {
      const blocks = quantizeBlocks(Float32Array.of(1, 2, bad, 3), { element: 'float8_e5m2', blockSize: 2 })
      expect(Array.from(blocks.scales)).toEqual([113, 255])
      expect(Array.from(dequantizeBlocks(blocks))).toEqual([1, 2, Number.NaN, Number.NaN])
    }
  })

  it('quantizeBlocks(values, int8) never has code -128', () => {
    const { codes } = quantizeBlocks(Float32Array.of(-1.999, 1.999), { element: 'int8', blockSize: 2 })
    expect(Array.from(codes)).toEqual([0x81, 0x7f])
  })

  it('quantizeBlocks(values, nvfp4) with a tensorScale of 2^k is the one-level scheme of values / 2^k', () => {
    const values = Float32Array.from({ length: 32 }, (_, i) => Math.tan(i))
    const scaled = quantizeBlocks(
      values.map((x) => x * 8),
      { ...nvfp4, tensorScale: 8 },
    )
    const plain = quantizeBlocks(values, nvfp4)
    expect([scaled.scales, scaled.codes]).toEqual([plain.scales, plain.codes])
  })
})

describe('blocks of other sizes, and out', () => {
  it.each([1, 3, 48, 4100])(
    'quantizeBlocks(values, blockSize %i) quantises each block as if alone',
    (blockSize) => {
      const values = Float32Array.from({ length: 3 * blockSize }, (_, i) => Math.tan(1 + i))
      const options = { element: 'float8_e4m3fn', blockSize, scale: 'rceil' } as const
      const whole = quantizeBlocks(values, options)
      for (let block = 0; block < 3; block++) {
        const part = [block * blockSize, (block + 1) * blockSize] as const
        const alone = quantizeBlocks(values.slice(...part), options)
        expect(whole.scales[block]).toBe(alone.scales[0])
        expect(whole.codes.slice(...part)).toEqual(alone.codes)
      }
    },
  )

  it('quantizeBlocks and dequantizeBlocks write into out, also into part of a buffer', () => {
    const values = Float32Array.of(9, 1, 7, 0.5, 2).subarray(1)
    const [scales, codes] = [new Uint8Array(4), new Uint8Array(6)]
    const out = { scales: scales.subarray(1, 3), codes: codes.subarray(1, 5) }
    const blocks = quantizeBlocks(values, { element: 'float4_e2m1fn', blockSize: 2 }, out)
    expect([blocks.scales, blocks.codes]).toEqual([out.scales, out.codes])
    expect(blocks.codes.buffer).toBe(codes.buffer)
    expect([Array.from(scales), Array.from(codes)]).toEqual([
      [0, 127, 126, 0],
      [0, 2, 7, 2, 6, 0],
    ])
    const back = new Float32Array(6)
    expect(dequantizeBlocks(blocks, back.subarray(1, 5))).toEqual(Float32Array.of(1, 6, 0.5, 2))
    expect(Array.from(back)).toEqual([0, 1, 6, 0.5, 2, 0])
  })

  it('quantizeBlocks(nothing) is nothing', () => {
    expect(quantizeBlocks(new Float32Array(0), { element: 'int8' }).scales.length).toBe(0)
    expect(dequantizeBlocks(quantizeBlocks(new Float32Array(0), nvfp4)).length).toBe(0)
  })
})

describe('bad input', () => {
  const values = new Float32Array(32)
  const attempt =
    (options: object, x: unknown = values, out?: object) =>
    () =>
      quantizeBlocks(x as Float32Array, options as BlockOptions, out as never)

  it.each([
    [
      { element: 'float8_e4m3' },
      TypeError,
      'quantizeBlocks: unknown element, did you mean float8_e4m3fn [float8_e4m3]',
    ],
    [{ element: 'toString' }, TypeError, /^quantizeBlocks: unknown element, there are .* \[toString\]$/],
    [
      { element: 'int8', scale: 'flor' },
      RangeError,
      'quantizeBlocks: scale is none of floor rceil ceil even [flor]',
    ],
    [{ element: 'int8', scheme: 'mxfp' }, RangeError, 'quantizeBlocks: scheme is none of mx nvfp4 [mxfp]'],
    [
      { element: 'int8', scheme: 'nvfp4' },
      TypeError,
      "quantizeBlocks: scheme 'nvfp4' has elements float4_e2m1fn [int8]",
    ],
    [{ ...nvfp4, scale: 'floor' }, RangeError, "quantizeBlocks: scale modes are for scheme 'mx' [floor]"],
    [
      { element: 'int8', tensorScale: 2 },
      RangeError,
      "quantizeBlocks: a tensorScale is for scheme 'nvfp4' [2]",
    ],
    [
      { ...nvfp4, tensorScale: 0 },
      RangeError,
      "quantizeBlocks: tensorScale is neither 'amax' nor in 2^-121..2^119 [0]",
    ],
    [
      { ...nvfp4, tensorScale: Number.NaN },
      RangeError,
      "quantizeBlocks: tensorScale is neither 'amax' nor in 2^-121..2^119 [NaN]",
    ],
    [
      { element: 'int8', blockSize: 0 },
      RangeError,
      'quantizeBlocks: blockSize is no whole number from 1 to 2^24 [0]',
    ],
    [
      { element: 'int8', blockSize: 1.5 },
      RangeError,
      'quantizeBlocks: blockSize is no whole number from 1 to 2^24 [1.5]',
    ],
    [
      { element: 'int8', blockSize: 24 },
      RangeError,
      'quantizeBlocks: blocks of 24 do not divide the length [32]',
    ],
  ])('quantizeBlocks(values, %o) throws', (options, Kind, message) => {
    expect(attempt(options)).toThrow(Kind)
    expect(attempt(options)).toThrow(message)
  })

  it('quantizeBlocks refuses other arrays, and an out of other lengths or kinds', () => {
    const element = 'int8'
    expect(attempt({ element }, new Float64Array(32))).toThrow(
      new TypeError('quantizeBlocks: values are no Float32Array [object]'),
    )
    expect(attempt({ element }, values, { scales: new Uint8Array(2), codes: new Uint8Array(32) })).toThrow(
      new RangeError(
        'quantizeBlocks: out has other lengths than the result [2 scales and 32 codes, not 1 and 32]',
      ),
    )
    expect(attempt({ element }, values, { scales: [0], codes: new Uint8Array(32) })).toThrow(
      new TypeError(
        "quantizeBlocks: out's scales and codes are no Uint8Arrays [[object Array], [object Uint8Array]]",
      ),
    )
  })

  it('dequantizeBlocks refuses codes outside the format, and lengths that differ', () => {
    const blocks = quantizeBlocks(values, { element: 'float6_e2m3fn' })
    expect(() => dequantizeBlocks({ ...blocks, codes: new Uint8Array(32).fill(64, 7) })).toThrow(
      new RangeError('dequantizeBlocks: code outside 0..63 of float6_e2m3fn [64]'),
    )
    expect(() => dequantizeBlocks({ ...blocks, codes: new Uint8Array(31) })).toThrow(
      new RangeError('dequantizeBlocks: every scale needs its block of codes [31 codes, 1 scales of 32]'),
    )
    expect(() => dequantizeBlocks(blocks, new Float32Array(31))).toThrow(
      new RangeError('dequantizeBlocks: lengths differ [codes 32, out 31]'),
    )
    expect(() => dequantizeBlocks(blocks, new Float64Array(32) as never)).toThrow(
      new TypeError('dequantizeBlocks: out is no Float32Array [object]'),
    )
  })
})
