import {
  joinReports,
  padRows,
  piecewise,
  quantizationReport,
  quantizationWays,
  quantizeArray,
  reportPieces,
  rowsOf,
  survey,
  unpadRows,
} from 'tpu-toolkit/blocks'
import { decodeArray, encodeArray } from 'tpu-toolkit/formats'
import { key, normal } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const wayOf = (scheme: string, way: string) =>
  quantizationWays.find((one) => one.scheme === scheme && one.way === way)!

/** A tensor over an array that is at hand. */
const over = (values: Float32Array | Float64Array, shape: readonly number[] = [values.length]) =>
  piecewise('', shape, (from, to) => values.subarray(from, to))

describe('padRows', () => {
  const values = Float32Array.from({ length: 12 }, (_, i) => i + 1)
  it('padRows adds zeros at the end of each row, unpadRows takes them off', () => {
    expect([...padRows(values, 6, 4)]).toEqual([1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0])
    expect(unpadRows(padRows(values, 6, 4), 6, 4)).toEqual(values)
    expect([...padRows(Float64Array.of(0.1), 1, 2, Number.NaN)]).toEqual([0.1, Number.NaN])
  })
  it('padRows and unpadRows leave rows alone that blocks divide', () => {
    expect(padRows(values, 6, 3)).toBe(values)
    expect(unpadRows(values, 6, 3)).toBe(values)
  })
})

describe(`piecewise(name, shape, read) (seed ${seed})`, () => {
  const values = normal(key(seed), 600_000)
  it.each([
    ['rows longer than a piece', [2, 300_000], [262_144, 37_856, 262_144, 37_856], [262_144, 37_856]],
    ['rows shorter than a piece', [200, 3_000], [261_000, 261_000, 78_000], [3_000, 3_000, 3_000]],
    ['one row', [600_000], [262_144, 262_144, 75_712], [262_144, 262_144, 75_712]],
    ['one row of several axes', [1, 1, 600_000], [262_144, 262_144, 75_712], [262_144]],
    ['three axes', [2, 100, 3_000], [261_000, 261_000, 78_000], [3_000]],
  ])('%s come in whole rows or in stretches of one', (_, shape, counts, lengths) => {
    const pieces = [...over(values, shape).pieces()]
    expect(pieces.map((piece) => piece.values.length)).toEqual(counts)
    expect(pieces.map((piece) => piece.rowLength).slice(0, lengths.length)).toEqual(lengths)
    const read = pieces.flatMap((piece) => [...piece.values])
    expect(read).toHaveLength(values.length)
    expect(read.findIndex((x, i) => x !== values[i])).toBe(-1)
  })
  it('rows of one value come few enough to be filled up to blocks', () => {
    const pieces = [...over(values.subarray(0, 20_000), [20_000, 1]).pieces()]
    expect(pieces.map((piece) => piece.values.length)).toEqual([8192, 8192, 3616])
  })
  it('a scalar is one piece of one row, an empty tensor none', () => {
    expect([...over(Float32Array.of(2), []).pieces()]).toEqual([{ values: Float32Array.of(2), rowLength: 1 }])
    expect([...over(new Float32Array(0), [3, 0]).pieces()]).toEqual([])
    expect([...over(new Float32Array(0), [0, 3]).pieces()]).toEqual([])
    expect(rowsOf([])).toEqual({ rows: 1, rowLength: 1 })
  })
})

describe('survey', () => {
  it('survey counts zeros, magnitudes and what is not finite', () => {
    const values = Float32Array.of(0, -0, 1, -1.5, 0.5, 2 ** -140, Number.NaN, -Infinity)
    const { exponents, ...facts } = survey(over(values))
    const sumOfSquares = 1 + 1.5 ** 2 + 0.25 + 2 ** -280
    expect(facts).toEqual({ values: 8, nonzero: 4, amax: 1.5, sumOfSquares, notFinite: 2 })
    expect([exponents[0], exponents[126], exponents[127]]).toEqual([1, 1, 2])
  })
  it('survey of float64 numbers keeps those beyond float32', () => {
    const { amax, notFinite, exponents } = survey(over(Float64Array.of(1e300, -0.1)))
    expect([amax, notFinite, exponents[254], exponents[123]]).toEqual([1e300, 0, 1, 1])
  })
})

describe(`joinReports(reports) (seed ${seed})`, () => {
  const values = normal(key(seed), 10_000).map((x) => 200 * x)
  const cast = decodeArray(encodeArray(values, 'float8_e4m3fn', { saturate: true }), 'float8_e4m3fn')
  const part = (from: number, to: number) =>
    quantizationReport(values.subarray(from, to), cast.subarray(from, to), { max: 448 })

  it('of parts is the report of the whole: counts and the largest error exactly, sums within their rounding', () => {
    const { worstBlock: _, ...whole } = part(0, 5_000)
    const joined = joinReports([part(0, 1_234), part(1_234, 1_234), part(1_234, 5_000)])
    for (const name of ['count', 'clipped', 'underflowed', 'overflowed', 'maxError'] as const) {
      expect(joined[name], name).toBe(whole[name])
    }
    // 5,000 sequential additions of one sign, on either side.
    for (const name of ['rms', 'sqnr', 'meanAbsoluteError', 'rmsError'] as const) {
      expect(Math.abs(joined[name] / whole[name] - 1), name).toBeLessThan(2 * 5_000 * 2 ** -53)
    }
    expect(joined.meanError).toBeCloseTo(whole.meanError, 9)
  })
  it('keeps what became infinite or NaN, and what is exact', () => {
    const lost = quantizationReport(Float32Array.of(1, 2), Float32Array.of(Number.NaN, 2))
    const exact = quantizationReport(Float32Array.of(1, 2), Float32Array.of(1, 2))
    expect(joinReports([lost, exact])).toMatchObject({
      overflowed: 0.25,
      sqnr: -Infinity,
      maxError: Infinity,
    })
    expect(joinReports([exact, exact])).toMatchObject({ sqnr: Infinity, rms: Math.sqrt(2.5), maxError: 0 })
  })
  it('of nothing counts nothing', () => {
    const nothing = quantizationReport(Float32Array.of(Number.NaN), Float32Array.of(0))
    for (const reports of [[], [nothing]]) {
      expect(joinReports(reports)).toMatchObject({ count: 0, clipped: Number.NaN, maxError: 0 })
    }
  })
})

describe(`reportPieces(tensor, ways, amax) (seed ${seed})`, () => {
  it('gives in pieces what quantizationReport gives at once, rows that blocks divide', () => {
    const values = normal(key(seed), 300_000)
    const [report] = reportPieces(over(values, [300, 1_000]), [wayOf('nvfp4', 'one level')], 9)
    const padded = padRows(values, 1_000, 16)
    const blocks = quantizeArray(padded, { element: 'float4_e2m1fn', scheme: 'nvfp4', blockSize: 16 })
    const whole = quantizationReport(padRows(values, 1_000, 16, Number.NaN), blocks)
    expect(report!.count).toBe(300_000)
    expect([report!.underflowed, report!.maxError]).toEqual([whole.underflowed, whole.maxError])
    expect(report!.sqnr).toBeCloseTo(whole.sqnr, 9)
  })
  it('zeros that fill a block are not counted, nor lost with it', () => {
    // float32's largest rounds past float32 under 'even': the block of 32, 3 of them values, is NaN.
    const values = new Float32Array(3).fill((2 - 2 ** -23) * 2 ** 127)
    const [report] = reportPieces(over(values), [wayOf('mxfp4', 'even')], values[0]!)
    expect(report).toMatchObject({ count: 3, overflowed: 1 })
  })
  it('a cast rounds float64 numbers once', () => {
    // Just above the tie between 1 and 1 + 2^-7 of bfloat16; as a float32 it is the tie, which goes to 1.
    const value = 1 + 2 ** -8 + 2 ** -40
    const [cast, blocks] = reportPieces(
      over(Float64Array.of(value)),
      [wayOf('bfloat16', 'plain'), wayOf('mxfp8_e4m3', 'floor')],
      value,
    )
    expect(cast!.maxError).toBe(1 + 2 ** -7 - value)
    expect(blocks!.maxError).toBe(value - 1)
  })
  it('of an empty tensor counts nothing', () =>
    expect(reportPieces(over(new Float32Array(0)), [wayOf('mxfp4', 'floor')], 0)[0]!.count).toBe(0))
  it('every way takes zeros, and numbers beyond float32', () => {
    for (const value of [0, 1e300]) {
      const reports = reportPieces(over(new Float64Array(40).fill(value)), quantizationWays, value)
      expect(reports.map(({ count }) => count)).toEqual(quantizationWays.map(() => 40))
    }
  })
})
