import fc from 'fast-check'
import {
  type BlockElement,
  blockElement,
  blockElements,
  blockValues,
  decode,
  encode,
  quantizeBlocks,
  type ScaleMode,
  ulp,
} from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { bitsOf, floats } from '../support/blockKeys.js'
import { seed } from '../support/seed.js'

const modes: readonly ScaleMode[] = ['floor', 'rceil', 'ceil', 'even']
const nvfp4 = { element: 'float4_e2m1fn', scheme: 'nvfp4' } as const

/** The exponent that the rules of a mode give, by trying every power of two. */
function exponentByTrial(amax: number, element: BlockElement, mode: ScaleMode): number {
  const { emax, mantissaBits, max } = blockElement(element)
  const floorLog2 = (x: number): number => {
    let e = -1100
    while (2 ** (e + 1) <= x) e++
    return e
  }
  const clamped = (e: number): number => Math.max(-127, Math.min(127, e))
  switch (mode) {
    case 'floor':
      return clamped(floorLog2(amax) - emax)
    case 'ceil':
      return clamped((2 ** floorLog2(amax) === amax ? floorLog2(amax) : floorLog2(amax) + 1) - emax)
    case 'rceil': {
      const d = Math.fround(amax * Math.fround(1 / max))
      return clamped(2 ** floorLog2(d) === d ? floorLog2(d) : floorLog2(d) + 1)
    }
    case 'even': {
      // Half a step of the element's significand up, then down to a power of two; below 2^-126 steps are 2^-126's.
      const up = amax + 2 ** (Math.max(floorLog2(amax), -126) - mantissaBits - 1)
      return up >= 2 ** 128 && element !== 'int8' ? 128 : clamped(floorLog2(up) - emax)
    }
  }
}

describe(`the scale of a block (seed ${seed})`, () => {
  it.each(blockElements)('%s: in every mode it is the power of two that trying all gives', (element) => {
    const magnitudes = fc.oneof(
      fc.integer({ min: 1, max: 0x7f7fffff }),
      // Near powers of two, and near where rounding to the mantissa carries.
      fc
        .tuple(
          fc.integer({ min: 0, max: 254 }),
          fc.constantFrom(0, 0x600000, 0x700000, 0x780000, 0x7c0000, 0x7f0000),
          fc.integer({ min: -2, max: 2 }),
        )
        .map(([exponent, mantissa, near]) =>
          Math.min(0x7f7fffff, Math.max(1, exponent * 2 ** 23 + mantissa + near)),
        ),
      // Near each element's largest value.
      fc
        .tuple(fc.integer({ min: -120, max: 100 }), fc.integer({ min: -2, max: 2 }))
        .map(([e, near]) => bitsOf(Float32Array.of(blockElement(element).max * 2 ** e))[0]! + near),
    )
    fc.assert(
      fc.property(magnitudes, fc.constantFrom(...modes), (bits, scale) => {
        const [amax = 0] = floats(Uint32Array.of(bits))
        const { scales } = quantizeBlocks(Float32Array.of(-amax, 0), { element, scale, blockSize: 2 })
        expect(scales[0]).toBe(exponentByTrial(amax, element, scale) + 127)
      }),
      { seed, numRuns: 400 },
    )
  })
})

/** Half of the spacing of an element format at a value within its range. */
function halfStep(value: number, element: BlockElement): number {
  return element === 'int8' ? 2 ** -7 : ulp(value, element) / 2
}

describe(`the error of a value (seed ${seed})`, () => {
  const pattern = fc.integer({ min: 0, max: 0xffffffff })
  const spread = fc
    .tuple(
      fc.integer({ min: 1, max: 254 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 12 }), pattern), { minLength: 32, maxLength: 32 }),
    )
    .map(([top, words]) =>
      words.map(([below, word]) => ((word & 0x807fffff) | (Math.max(0, top - below) << 23)) >>> 0),
    )

  it.each(blockElements)(
    '%s: is at most half an ulp of the element format times the scale, unless clamped',
    (element) => {
      const { max } = blockElement(element)
      fc.assert(
        fc.property(
          fc.oneof(spread, fc.array(pattern, { minLength: 32, maxLength: 32 })),
          fc.constantFrom(...modes),
          (words, scale) => {
            const values = floats(Uint32Array.from(words))
            const blocks = quantizeBlocks(values, { element, scale })
            const { elements, multipliers } = blockValues(blocks)
            const power = multipliers[blocks.scales[0]!]!
            if (Number.isNaN(power)) return
            for (const [i, value] of values.entries()) {
              const scaled = value / power
              const actual = elements[blocks.codes[i]!]!
              if (Math.abs(scaled) > max) {
                expect(actual).toBe(Math.sign(scaled) * max)
              } else if (Math.abs(actual - scaled) > halfStep(scaled, element)) {
                expect([value, power, actual]).toEqual('within half a step')
              }
            }
          },
        ),
        { seed, numRuns: 300 },
      )
    },
  )

  it('ceil never clamps a float element, and rceil none but by its float32 steps', () => {
    fc.assert(
      fc.property(spread, fc.constantFrom(...blockElements), (words, element) => {
        const values = floats(Uint32Array.from(words))
        const { max } = blockElement(element)
        for (const scale of ['ceil', 'rceil'] as const) {
          const blocks = quantizeBlocks(values, { element, scale })
          const power = blockValues(blocks).multipliers[blocks.scales[0]!]!
          const slack = scale === 'ceil' ? 1 : 1 + 2 ** -22
          const over = values.filter((value) => Math.abs(value) / power > max * slack)
          // Of int8 the largest value, 127/64, is below the power of two that ceil aims at, and below float32's largest over 2^127, the largest scale.
          const clamps = element === 'int8' && (scale === 'ceil' || blocks.scales[0] === 254)
          if (!clamps) expect(Array.from(over)).toEqual([])
        }
      }),
      { seed, numRuns: 300 },
    )
  })

  it('nvfp4: is at most half an ulp times both scales, and 2^-22 of the value for the float32 steps', () => {
    fc.assert(
      fc.property(spread, fc.constantFrom('amax' as const, 1, 0.25), (words, tensorScale) => {
        const values = floats(Uint32Array.from(words))
        const blocks = quantizeBlocks(values, { ...nvfp4, tensorScale })
        const { elements, multipliers } = blockValues(blocks)
        for (const [i, value] of values.entries()) {
          const step = multipliers[blocks.scales[i >> 4]!]!
          const scaled = value / step
          const error = Math.abs(elements[blocks.codes[i]!]! - scaled)
          if (Math.abs(scaled) > 6) {
            expect(Math.abs(elements[blocks.codes[i]!]!)).toBe(6)
          } else {
            expect(error).toBeLessThanOrEqual(ulp(scaled, 'float4_e2m1fn') / 2 + Math.abs(scaled) * 2 ** -22)
          }
        }
      }),
      { seed, numRuns: 300 },
    )
  })

  it('nvfp4: takes every float32 step of the scheme, also where one ulp decides', () => {
    const midpoints = [0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5]
    const scale = fc.tuple(fc.integer({ min: -20, max: 20 }), fc.integer({ min: 0, max: 0x7fffff }))
    fc.assert(
      fc.property(scale, fc.double({ min: 1, max: 8, noNaN: true }), ([exponent, mantissa], amax) => {
        const t = 2 ** exponent * (1 + mantissa / 2 ** 23)
        const s = decode(
          encode(Math.fround(Math.fround(Math.fround(amax * t) / 6) / t), 'float8_e4m3fn'),
          'float8_e4m3fn',
        )
        // Midpoints of the elements as values, and the float32 next to them.
        const near = midpoints.map((x) => bitsOf(Float32Array.of(x * s * t))[0]!)
        const words = near.flatMap((word) => [word - 1, word, word + 1]).slice(0, 15)
        const values = Float32Array.of(amax * t, ...floats(Uint32Array.from(words)))
        const largest = values.reduce((most, x) => Math.max(most, x))
        fc.pre(largest === values[0])
        const blocks = quantizeBlocks(values, { ...nvfp4, tensorScale: t })
        const factor = Math.fround(Math.fround(1 / t) / s)
        expect(Array.from(blocks.codes)).toEqual(
          Array.from(values, (x) => encode(Math.fround(x * factor), 'float4_e2m1fn')),
        )
      }),
      { seed, numRuns: 300 },
    )
  })
})
