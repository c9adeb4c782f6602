import { survey, quantizationWays as ways } from 'tpu-toolkit/blocks'
import { decodeTable, type FormatName } from 'tpu-toolkit/formats'
import { key, normal, uniform } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { inMemory } from '../../src/cli/formats/dataSet.js'
import { decibelsPerBit } from '../../src/cli/formats/finding.js'
import { type Measurement, measureTensor, pooled } from '../../src/cli/formats/measure.js'
import { schemes } from '../../src/cli/formats/schemes.js'
import { seed } from '../support/seed.js'

const n = 2 ** 18
const drawn = normal(key(seed), n)

function measured(
  values: Float32Array,
  shape: readonly number[] = [values.length],
): Map<string, Measurement> {
  const tensor = inMemory('', shape, values)
  const rows = measureTensor('test', tensor, survey(tensor), ways)
  return new Map(rows.map((row) => [`${row.scheme} ${row.way}`, row]))
}

/** Six standard deviations of n draws' mean of something, as a change in dB, from its second moment over its mean's square. */
const sixSigma = (moment: number): number => 10 * Math.log10(1 + 6 * Math.sqrt((moment - 1) / n))

/**
 * Moments of a format's error on standard normal numbers: sums over the intervals between neighbouring values, each half
 * by Simpson's rule, of (distance to the nearest)^power times the density. Takes nothing from the rounding under test.
 */
function normalError(name: FormatName, power: number): number {
  const values = [...decodeTable(name)].filter((x) => x >= 0 && Number.isFinite(x)).sort((a, b) => a - b)
  const grid = [...new Set(values)].filter((x) => x < 8)
  const density = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)
  const half = (from: number, to: number, center: number): number => {
    const part = (x: number): number => Math.abs(x - center) ** power * density(x)
    let sum = 0
    const steps = 8
    const h = (to - from) / steps
    for (let i = 0; i < steps; i += 2) {
      sum += part(from + i * h) + 4 * part(from + (i + 1) * h) + part(from + (i + 2) * h)
    }
    return (sum * h) / 3
  }
  const cells = grid.slice(1).map((w, i) => {
    const v = grid[i]!
    return half(v, (v + w) / 2, v) + half((v + w) / 2, w, w)
  })
  return 2 * cells.reduce((sum, cell) => sum + cell, 0)
}

describe(`measureTensor, standard normal numbers (seed ${seed})`, () => {
  const rows = measured(drawn)
  const sqnr = (name: string): number => rows.get(name)!.sqnr!

  // Formats whose range goes beyond 5.42, the largest normal draw there is, so that nothing is clipped.
  it.each([
    'bfloat16',
    'float16',
    'float8_e3m4',
    'float8_e4m3',
    'float8_e4m3fn',
    'float8_e4m3fnuz',
    'float8_e4m3b11fnuz',
    'float8_e5m2',
    'float8_e5m2fnuz',
    'float6_e2m3fn',
    'float6_e3m2fn',
    'float4_e2m1fn',
  ] as const)('a plain cast to %s has the SQNR that integration gives', (name) => {
    const noise = normalError(name, 2)
    // The mean square error of n draws, and their mean square (fourth moment 3).
    const tolerance = sixSigma(normalError(name, 4) / noise ** 2) + sixSigma(3)
    expect(Math.abs(sqnr(`${name} plain`) + 10 * Math.log10(noise))).toBeLessThan(tolerance)
    expect(tolerance).toBeLessThan(0.3)
  })

  it('bfloat16 has 6.02 dB for each of its 8 significand bits, and 7.4 more', () => {
    // Error 2^-8 of a binade at most, uniform: E[e^2] = 4^(e - 8) / 3; E[4^e] by the share of each binade.
    let binades = 0
    for (let x = 2 ** -12; x < 8; x += 2 ** -12) {
      binades +=
        (4 ** Math.floor(Math.log2(x)) * Math.exp((-x * x) / 2) * 2 ** -12 * 2) / Math.sqrt(2 * Math.PI)
    }
    const beyond = 10 * Math.log10(3 / binades)
    expect(Math.abs(sqnr('bfloat16 plain') - (8 * decibelsPerBit + beyond))).toBeLessThan(0.1)
    expect(beyond).toBeCloseTo(7.4, 1)
  })

  it('no way has more than 6.02 dB a bit, and some come within 6 dB', () => {
    // The rate-distortion bound of normal numbers; six sigma for the draws.
    const below = [...rows.values()].map((row) => decibelsPerBit * row.bits - row.sqnr!)
    expect(Math.min(...below)).toBeGreaterThan(-sixSigma(3))
    expect(Math.min(...below)).toBeLessThan(6)
  })
  it('mean errors vanish against their spread: nearest even has no bias', () => {
    // Of the storage formats some have it: a minimum that is rounded for 16 numbers, codes that are cut.
    for (const { scheme, way, sqnr: ratio, meanError } of rows.values()) {
      if (way === 'stored') continue
      const spread = 10 ** (-ratio! / 20)
      expect(Math.abs(meanError!), `${scheme} ${way}`).toBeLessThan((6 * spread) / Math.sqrt(n))
    }
  })
  it('scaled casts clip nothing, nor do blocks whose scale is rounded up', () => {
    const clean = [...rows.values()].filter(({ way }) => ['scaled', 'rceil', 'ceil'].includes(way))
    expect(clean.length).toBe(13 + 12)
    expect(clean.filter(({ clipped, notFinite }) => clipped + notFinite > 0)).toEqual([])
  })
  it('scales follow the data: a millionth of it gives the same, but where there are none to follow', () => {
    // 2^-20 is exact in every scale that is a power of two or a float32.
    const small = measured(drawn.map((x) => x * 2 ** -20))
    const changed = [...small].flatMap(([name, row]) => (row.sqnr === rows.get(name)!.sqnr ? [] : [name]))
    const followed = changed.filter((name) => !/ (plain|saturating)$/.test(name))
    // The scales of GGUF are float16, subnormal there; those of its MXFP4 are not.
    const halves = ways.filter(({ family, way }) => family === 'GGUF' && way === 'stored')
    expect(followed).toEqual([
      ...['bfloat16 scaled', 'float8_e8m0fnu scaled', 'nvfp4 one level'],
      ...halves.map(({ scheme, way }) => `${scheme} ${way}`),
    ])
    expect(small.get('nvfp4 one level')!.underflow).toBe(1)
    expect(small.get('nvfp4 two levels')!.sqnr).toBeGreaterThan(20)
  })
  it('every scheme of --only is measured', () =>
    expect(new Set([...rows.values()].map(({ scheme }) => scheme))).toEqual(new Set(schemes)))
})

describe(`measureTensor, uniform numbers (seed ${seed})`, () => {
  it('mxint8 has 6.02 dB for each of its 8 bits, less what is clipped beyond 127/128', () => {
    const rows = measured(uniform(key(seed), n, { minval: -1, maxval: 1 }))
    // Scale 2^-1 in every block: steps of 2^-7, error uniform within half a step; in the last step, which is beyond
    // the largest element, within one step. Signal 1/3.
    const noise = (2 ** -14 / 12) * (1 + 3 * 2 ** -7)
    const expected = 10 * Math.log10(1 / 3 / noise)
    expect(expected).toBeCloseTo(8 * decibelsPerBit - 0.1, 2)
    // Both squares have the moments 9/5 of uniform numbers.
    expect(Math.abs(rows.get('mxint8 floor')!.sqnr! - expected)).toBeLessThan(2 * sixSigma(9 / 5))
    expect(Math.abs(rows.get('mxint8 floor')!.clipped - 2 ** -7)).toBeLessThan(6 * Math.sqrt(2 ** -7 / n))
  })
})

describe('measureTensor, numbers to count by hand', () => {
  const row = (values: readonly number[], name: string, shape?: readonly number[]): Measurement =>
    measured(Float32Array.from(values), shape).get(name)!

  it('counts what is clipped, lost and made zero', () => {
    const values = [1000, 1, 2 ** -20, 0]
    expect(row(values, 'float8_e4m3fn plain')).toMatchObject({ sqnr: null, notFinite: 1 / 4, clipped: 1 / 4 })
    expect(row(values, 'float8_e4m3fn plain')).toMatchObject({ underflow: 1 / 3, meanError: null })
    expect(row(values, 'float8_e4m3fn saturating')).toMatchObject({ notFinite: 0, clipped: 1 / 4 })
    expect(row(values, 'float8_e5m2 plain')).toMatchObject({ notFinite: 0, clipped: 0, underflow: 1 / 3 })
  })
  it('tells means relative to the rms, with their sign', () => {
    // 6 and 6 from 7 and 5, a step of 2 apart; ties go to even.
    const { meanError, meanAbsError, sqnr } = row([6.5, 5.5, -6.5, 3.25], 'float4_e2m1fn plain')
    const rms = Math.sqrt((2 * 6.5 ** 2 + 5.5 ** 2 + 3.25 ** 2) / 4)
    expect(meanError).toBeCloseTo((-0.5 + 0.5 + 0.5 - 0.25) / 4 / rms, 12)
    expect(meanAbsError).toBeCloseTo((0.5 + 0.5 + 0.5 + 0.25) / 4 / rms, 12)
    expect(sqnr).toBeCloseTo(10 * Math.log10((4 * rms * rms) / (3 * 0.5 ** 2 + 0.25 ** 2)), 12)
  })
  it('exact results have infinite SQNR', () =>
    expect(row([1, 2, -4], 'bfloat16 plain')).toMatchObject({
      sqnr: Infinity,
      meanError: 0,
      meanAbsError: 0,
    }))
  it('float8_e8m0fnu keeps signs beside it, and makes NaN of zeros', () => {
    expect(row([-3, 5], 'float8_e8m0fnu plain')).toMatchObject({ elementBits: 9, notFinite: 0 })
    // -3 ties to -2 or -4 of even code, 5 goes to 4.
    expect(row([-2, 4], 'float8_e8m0fnu plain').sqnr).toBe(Infinity)
    expect(row([-2, 0], 'float8_e8m0fnu plain').notFinite).toBe(0.5)
  })
  it('bits count the scales: 8 for each block of a row, begun or not, 32 for a tensor', () => {
    const values = Array.from({ length: 2 * 33 }, (_, i) => i + 1)
    expect(row(values, 'mxfp4 floor', [2, 33]).bits).toBe(4 + (8 * 2 * 2) / 66)
    expect(row(values, 'nvfp4 two levels', [2, 33]).bits).toBe(4 + (8 * 2 * 3 + 32) / 66)
    expect(row(values, 'nvfp4 one level', [2, 33]).bits).toBe(4 + (8 * 2 * 3) / 66)
    expect(row(values, 'float8_e5m2 scaled', [2, 33]).bits).toBe(8 + 32 / 66)
    expect(row(values, 'float8_e5m2 plain', [2, 33]).bits).toBe(8)
  })
  it('blocks do not reach over the end of a row', () => {
    // One row of 31 small numbers, one that begins with a large one: together they would share a scale.
    const values = [...new Array<number>(31).fill(1), ...[96, ...new Array<number>(30).fill(0)]]
    expect(row(values, 'mxfp4 floor', [2, 31]).sqnr).toBe(Infinity)
    expect(row(values, 'mxfp4 floor', [62]).underflow).toBeGreaterThan(0.9)
  })
})

describe('measureTensor, piece by piece', () => {
  const whole = inMemory('', [n], drawn)
  const cut = {
    ...whole,
    pieces: () =>
      [0, 1, 2, 3].map((i) => ({ values: drawn.slice((i * n) / 4, ((i + 1) * n) / 4), rowLength: n / 4 })),
  }
  it('gives what it gives at once', () => {
    // All but what has one scale for a row: these pieces are parts of one.
    const chosen = ways.filter(({ way }) => way !== 'rows')
    const [inPieces, atOnce] = [cut, whole].map((tensor) => measureTensor('', tensor, survey(tensor), chosen))
    inPieces!.forEach((row, i) => {
      const { sqnr, meanError, meanAbsError, ...counted } = row
      const other = atOnce![i]!
      expect(other).toMatchObject(counted)
      // Only the order of float64 sums differs.
      expect(sqnr).toBeCloseTo(other.sqnr!, 9)
      expect(meanError).toBeCloseTo(other.meanError!, 12)
      expect(meanAbsError).toBeCloseTo(other.meanAbsError!, 12)
    })
  })
})

describe('pooled', () => {
  const quarter = drawn.slice(0, n / 4)
  const tensors = [quarter, quarter.map((x) => x * 2 ** -10)].map((values, i) =>
    inMemory(`t${i}`, [64, n / 256], values),
  )
  const surveys = tensors.map(survey)
  const each = tensors.map((tensor, i) => measureTensor('', tensor, surveys[i]!, ways))
  it('of a tensor and of a 1024th of it is that of one of them, where scales are powers of two', () => {
    pooled(each, surveys).forEach((row, i) => {
      expect(row).toMatchObject({ tensor: '', values: n / 2 })
      if (!row.scheme.startsWith('mx')) return
      expect(row.sqnr).toBeCloseTo(each[0]![i]!.sqnr!, 9)
      expect(row.underflow).toBeCloseTo(each[0]![i]!.underflow, 12)
    })
  })
  it('of a tensor and of an exact one as large has half of the noise: 3.01 dB more', () => {
    const exact = inMemory('exact', [64, n / 256], quarter.map(Math.sign))
    const known = survey(exact)
    const both = pooled([each[0]!, measureTensor('', exact, known, ways)], [surveys[0]!, known])
    const at = ways.findIndex(({ scheme, way }) => scheme === 'bfloat16' && way === 'plain')
    expect(both[at]!.sqnr).toBeCloseTo(each[0]![at]!.sqnr! + 10 * Math.log10(2), 9)
    expect(both[at]!.meanAbsError).toBeCloseTo(each[0]![at]!.meanAbsError! / 2, 12)
  })
  it('has no SQNR where one of the tensors has none', () => {
    const broken = [each[0]!, each[1]!.map((row) => ({ ...row, sqnr: null }))]
    expect(pooled(broken, surveys).filter(({ sqnr }) => sqnr !== null)).toEqual([])
  })
})
