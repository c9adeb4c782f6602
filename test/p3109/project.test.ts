import fc from 'fast-check'
import { encode, type Rounding } from 'tpu-toolkit/formats'
import {
  decodeExact,
  exactOf,
  type ProjectionOptions,
  p3109Roundings,
  p3109Saturations,
  p3109Type,
  p3109Types,
  project,
} from 'tpu-toolkit/p3109'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { seed } from '../support/seed.js'

const keys = 'binary8p4se binary8p3sf binary8p1se binary8p1uf binary6p3ue binary4p2sf binary3p1se binary5p5uf'
  .split(' ')
  .concat(['binary16p1ue', 'binary16p4sf', 'binary13p1se'])

/** The draft's rounding modes that formats have too. */
const same: Readonly<Record<string, Rounding>> = {
  NearestTiesToEven: 'nearest-even',
  NearestTiesToAway: 'nearest-away',
  TowardZero: 'toward-zero',
  TowardPositive: 'up',
  TowardNegative: 'down',
  ToOdd: 'to-odd',
}

describe(`project (seed ${seed})`, () => {
  it.each(keys)('project gives the codes of the key: %s', (name) => {
    const key = new Columns(`p3109/project_${name}`)
    const [bits, precision, signed, infinity] = key.facts['format'] as [number, number, number, number]
    const type = p3109Type(bits, precision, { signed: signed === 1, infinity: infinity === 1 })
    expect(type.name).toBe(name)
    const x = new Float64Array(key.u64('x').buffer, key.u64('x').byteOffset, key.u64('x').length)
    const codes = key.u16('code')
    const got = Array.from(x, (value, i) => {
      const randomBits = key.u8('bits')[i]!
      return project(value, type, {
        rounding: p3109Roundings[key.u8('rounding')[i]!]!,
        saturation: p3109Saturations[key.u8('saturation')[i]!]!,
        ...(randomBits > 0 ? { randomBits, random: key.u16('random')[i]! } : {}),
      })
    })
    expect(got).toEqual(Array.from(codes))
    expect(got.length).toBe(700)
  })

  it('project(the value of a code) is that code, in every mode and of every type', () => {
    for (const type of p3109Types().filter(({ bits }) => bits <= 7 || bits === 16)) {
      const step = type.bits <= 7 ? 1 : 4093
      for (let code = 0; code < 2 ** type.bits; code += step) {
        const rounding = p3109Roundings[code % p3109Roundings.length]!
        const random = rounding.startsWith('Stochastic') ? { randomBits: 3, random: code % 8 } : {}
        expect(
          project(decodeExact(code, type), type, { rounding, saturation: 'SatPropagate', ...random }),
        ).toBe(code)
      }
    }
  })

  it('project of a type with float32 values is what formats.encode gives, but for unsigned negatives', () => {
    const types = p3109Types().filter(({ format }) => format !== null)
    fc.assert(
      fc.property(
        fc.constantFrom(...types),
        fc.oneof(fc.float(), fc.double({ min: -8, max: 8 }), fc.double()),
        fc.constantFrom(...Object.keys(same)),
        fc.boolean(),
        (type, x, rounding, saturate) => {
          const value = type.signed ? x : Math.abs(x)
          // An even Infinity is no neighbour that 'to-odd' would take there, and one is here.
          if (rounding === 'ToOdd' && !saturate && Math.abs(value) > type.format!.max) return
          expect(
            project(value, type, {
              rounding: rounding as never,
              saturation: saturate ? 'SatFinite' : 'SatNone',
            }),
          ).toBe(encode(value, type.format!, { rounding: same[rounding]!, saturate }))
        },
      ),
      { seed, numRuns: 3000 },
    )
  })

  it('project with the three stochastic modes rounds up as often as their bits say', () => {
    const type = p3109Type(8, 4)
    // Of 5/32, 3/16, 1/32 ... in eighths: 1.25, 1.5, 0.25. A cuts them, B rounds the middle up, C to even.
    const count = (rounding: 'StochasticA' | 'StochasticB' | 'StochasticC', fraction: number): number =>
      Array.from({ length: 8 }, (_, random) =>
        project(2 + fraction * 0.25, type, { rounding, randomBits: 3, random }),
      ).filter((code) => code === 0x49).length
    expect([5 / 32, 3 / 16, 1 / 32].map((f) => count('StochasticA', f))).toEqual([1, 1, 0])
    expect([5 / 32, 3 / 16, 1 / 32].map((f) => count('StochasticB', f))).toEqual([1, 2, 0])
    expect([5 / 32, 3 / 16, 1 / 32].map((f) => count('StochasticC', f))).toEqual([1, 2, 0])
    expect([1 / 16, 5 / 16].map((f) => count('StochasticC', f))).toEqual([0, 2])
    expect([1 / 16, 5 / 16].map((f) => count('StochasticB', f))).toEqual([1, 3])
  })

  it('project(NaN), (-0) and infinities are special in each saturation mode', () => {
    const [se, sf] = [p3109Type(8, 3), p3109Type(8, 3, { infinity: false })]
    const [ue, uf] = [p3109Type(8, 3, { signed: false }), p3109Type(8, 3, { signed: false, infinity: false })]
    const codes = (saturation: ProjectionOptions['saturation'], value: number) =>
      [se, sf, ue, uf].map((type) => project(value, type, { saturation: saturation! }))
    for (const saturation of p3109Saturations) {
      expect(codes(saturation, Number.NaN)).toEqual([0x80, 0x80, 0xff, 0xff])
      expect(codes(saturation, -0)).toEqual([0, 0, 0, 0])
    }
    expect(codes('SatFinite', Infinity)).toEqual([0x7e, 0x7f, 0xfd, 0xfe])
    expect(codes('SatPropagate', Infinity)).toEqual([0x7f, 0x7f, 0xfe, 0xfe])
    expect(codes('SatNone', Infinity)).toEqual([0x7f, 0x80, 0xfe, 0xff])
    expect(codes('SatFinite', -Infinity)).toEqual([0xfe, 0xff, 0, 0])
    expect(codes('SatPropagate', -Infinity)).toEqual([0xff, 0xff, 0, 0])
    expect(codes('SatNone', -Infinity)).toEqual([0xff, 0x80, 0xff, 0xff])
    expect(codes('SatNone', -1)[2]).toBe(0xff)
    expect(codes('SatPropagate', -1)[2]).toBe(0)
    expect(project(-1, ue, { rounding: 'TowardPositive' })).toBe(0)
    expect(project(exactOf(1e300), se, { rounding: 'ToOdd' })).toBe(0x7f)
  })

  it.each<[object, string]>([
    [{ rounding: 'nearest-even' }, 'project: unknown rounding, there are'],
    [{ saturation: 'SatNo' }, 'project: unknown saturation, did you mean SatNone [SatNo]'],
    [{ rounding: 'StochasticA' }, 'project: randomBits is not a whole number from 1 to 32'],
    [
      { rounding: 'StochasticA', randomBits: 3, random: 8 },
      'project: random is not a whole number from 0 to 7 [8]',
    ],
    [{ mode: 'ToOdd' }, 'project: unknown option'],
  ])('project(1, type, %j) says what is wrong', (options, message) => {
    expect(() => project(1, p3109Type(8, 4), options as never)).toThrow(RangeError)
    expect(() => project(1, p3109Type(8, 4), options as never)).toThrow(message)
  })
})
