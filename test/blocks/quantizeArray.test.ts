import fc from 'fast-check'
import { quantizeArray } from 'tpu-toolkit/blocks'
import { blockElements, dequantizeBlocks, quantizeBlocks } from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { bitsOf, blockKeys, floats, significant } from '../support/blockKeys.js'
import { seed } from '../support/seed.js'

describe.each(['simd', 'plain'] as const)('quantizeArray(values, options, out, %s)', (engine) => {
  it.each(blockKeys())('gives the bits of $title', (key) => {
    const blocks = quantizeArray(key.values, key.options, undefined, engine)
    const nan = blocks.scheme === 'mx' ? 255 : 127
    expect(significant(blocks, nan)).toEqual(significant(key, nan))
    expect(bitsOf(dequantizeBlocks(blocks))).toEqual(key.dequantized)
  })
})

describe(`quantizeArray is quantizeBlocks (seed ${seed})`, () => {
  const modes = ['floor', 'rceil', 'ceil', 'even'] as const
  const options = fc.oneof(
    fc.record({ element: fc.constantFrom(...blockElements), scale: fc.constantFrom(...modes) }),
    fc.record({
      element: fc.constant('float4_e2m1fn' as const),
      scheme: fc.constant('nvfp4' as const),
      tensorScale: fc.constantFrom(1, 3, 'amax' as const),
    }),
  )

  it('for any bits, in blocks of any size', () => {
    const sizes = fc.constantFrom(undefined, 16, 32, 48, 1, 7, 8, 24, 64)
    const any = fc.integer({ min: 0, max: 0xffffffff })
    // One exponent in a few: values that are alike, so that elements are neither all zero nor all clamped.
    const alike = fc
      .tuple(any, fc.integer({ min: 0, max: 253 }))
      .map(([word, top]) => ((word & 0x81ffffff) | (top << 23)) >>> 0)
    const words = fc.oneof(
      fc.array(any, { minLength: 200, maxLength: 200 }),
      fc.array(alike, { minLength: 200, maxLength: 200 }),
    )
    fc.assert(
      fc.property(words, options, sizes, (list, how, blockSize) => {
        const whole = blockSize === undefined ? how : { ...how, blockSize }
        const size = quantizeBlocks(new Float32Array(0), whole).blockSize
        const values = floats(Uint32Array.from(list.slice(0, 200 - (200 % size))))
        expect(quantizeArray(values, whole)).toEqual(quantizeBlocks(values, whole))
      }),
      { seed, numRuns: 500 },
    )
  })

  it('rounded at random, for any bits and words', () => {
    const any = fc.integer({ min: 0, max: 0xffffffff })
    // Exponents near each other, so that elements are subnormal, normal and clamped.
    const near = fc
      .tuple(any, fc.integer({ min: 120, max: 127 }))
      .map(([word, top]) => ((word & 0x807fffff) | (top << 23)) >>> 0)
    const list = fc.oneof(
      fc.array(any, { minLength: 192, maxLength: 192 }),
      fc.array(near, { minLength: 192, maxLength: 192 }),
    )
    const drawn = fc.array(fc.oneof(any, fc.constantFrom(0, 0xffffffff)), { minLength: 192, maxLength: 192 })
    const sizes = fc.constantFrom(16, 32, 48, 8)
    fc.assert(
      fc.property(
        list,
        drawn,
        options,
        sizes,
        fc.constantFrom(32, 7),
        (bits, words, how, blockSize, used) => {
          const values = floats(Uint32Array.from(bits))
          const whole = { ...how, blockSize, rounding: 'stochastic', randomBits: used } as const
          let next = 0
          const one = quantizeBlocks(values, { ...whole, random: () => words[next++]! })
          expect(quantizeArray(values, { ...whole, random: Uint32Array.from(words) })).toEqual(one)
          expect(next).toBe(192)
        },
      ),
      { seed, numRuns: 500 },
    )
  })

  it('rounded at random, for every float32 of eight binades by words of every size', () => {
    const values = floats(
      Uint32Array.from({ length: 2 ** 19 }, (_, i) => 0x3c000000 + (i << 7) + ((i & 3) << 30)),
    )
    const words = Uint32Array.from(values, (_, i) => Math.imul(i, 0x9e3779b1))
    for (const element of blockElements) {
      const how = { element, rounding: 'stochastic', random: words } as const
      const [fast, plain] = [quantizeArray(values, how), quantizeBlocks(values, how)]
      expect([Buffer.compare(fast.scales, plain.scales), Buffer.compare(fast.codes, plain.codes)]).toEqual([
        0, 0,
      ])
    }
  })

  it('refuses words that are not one for each value', () => {
    const how = { element: 'int8', rounding: 'stochastic', random: new Uint32Array(31) } as const
    expect(() => quantizeArray(new Float32Array(32), how)).toThrow(
      new RangeError('quantizeBlocks: needs a word for each value [31 words, 32 values]'),
    )
  })

  it('for every float32 of eight binades times every scale of one element, all signs', () => {
    // 2^16 steps a binade: every element code, every midpoint and its neighbours, in all six element formats.
    const values = floats(
      Uint32Array.from({ length: 2 ** 19 }, (_, i) => 0x3c000000 + (i << 7) + ((i & 3) << 30)),
    )
    for (const element of blockElements) {
      const [fast, plain] = [quantizeArray(values, { element }), quantizeBlocks(values, { element })]
      expect([Buffer.compare(fast.scales, plain.scales), Buffer.compare(fast.codes, plain.codes)]).toEqual([
        0, 0,
      ])
    }
  })

  it.each([16384, 16400, 48, 32768 + 16])('in blocks of %i, longer than the arena or not', (blockSize) => {
    const length = Math.ceil(40000 / blockSize) * blockSize
    const values = Float32Array.from({ length }, (_, i) => Math.tan(i))
    const how = { element: 'float8_e5m2', blockSize } as const
    const [fast, plain] = [quantizeArray(values, how), quantizeBlocks(values, how)]
    expect([Buffer.compare(fast.scales, plain.scales), Buffer.compare(fast.codes, plain.codes)]).toEqual([
      0, 0,
    ])
  })

  it('into out, which it returns', () => {
    const values = Float32Array.from({ length: 20000 }, (_, i) => Math.tan(i)).subarray(32)
    const out = { scales: new Uint8Array(624), codes: new Uint8Array(19968) }
    const blocks = quantizeArray(values, { element: 'int8' }, out)
    expect([blocks.scales === out.scales, blocks.codes === out.codes]).toEqual([true, true])
    expect(blocks).toEqual(quantizeBlocks(values, { element: 'int8' }))
  })

  it('and refuses what it refuses', () => {
    expect(() => quantizeArray(new Float32Array(33), { element: 'int8' })).toThrow(
      new RangeError('quantizeBlocks: blocks of 32 do not divide the length [33]'),
    )
    expect(() => quantizeArray(new Float32Array(32), { element: 'int9' as never })).toThrow(TypeError)
  })
})
