import {
  bitsPerElement,
  magnitudes,
  piecewise,
  quantizationReport,
  quantizationWays,
  survey,
  tensorReport,
  wayTotals,
} from 'tpu-toolkit/blocks'
import { decodeArray, encodeArray } from 'tpu-toolkit/formats'
import { key, normal } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'

const over = (name: string, values: Float32Array, shape: readonly number[] = [values.length]) =>
  piecewise(name, shape, (from, to) => values.subarray(from, to))
const plain = quantizationWays.filter(({ scheme, way }) => scheme === 'float8_e5m2' && way === 'plain')
const [a, b] = [normal(key(1), 96), normal(key(2), 32).map((x) => x * 1e-3)]

describe('tensorReport', () => {
  it('has, of a plain cast, the report of what the format makes of the values', () => {
    const [way] = tensorReport(over('a', a, [3, 32]), plain).ways
    const cast = decodeArray(encodeArray(a, 'float8_e5m2'), 'float8_e5m2')
    const { worstBlock: _, ...report } = quantizationReport(a, Float32Array.from(cast))
    expect(way).toEqual({ scheme: 'float8_e5m2', way: 'plain', bits: 8, ...report })
  })

  it('has no ways for a tensor without a finite value, and its survey', () => {
    const report = tensorReport(over('none', Float32Array.of(NaN, Infinity)), quantizationWays)
    expect([report.ways, report.survey.notFinite]).toEqual([[], 2])
  })
})

describe('wayTotals', () => {
  it('of a plain cast is the report of all values in one tensor, with the tensor of least SQNR', () => {
    const parts = [over('a', a), over('b', b), over('none', Float32Array.of(NaN))]
    const reports = parts.map((tensor) => tensorReport(tensor, plain))
    const [total] = wayTotals(reports)
    const [whole] = tensorReport(over('both', Float32Array.of(...a, ...b)), plain).ways
    for (const name of ['sqnr', 'rms', 'rmsError', 'meanError', 'meanAbsoluteError'] as const) {
      // Sums that come back from means: a few float64 ulps.
      expect(Math.abs(total![name] - whole![name])).toBeLessThanOrEqual(2 ** -48 * Math.abs(whole![name]))
    }
    expect([total?.count, total?.maxError, total?.underflowed]).toEqual([
      128,
      whole?.maxError,
      whole?.underflowed,
    ])
    const least = reports[0]!.ways[0]!.sqnr <= reports[1]!.ways[0]!.sqnr ? 0 : 1
    expect(total?.worst).toEqual({ tensor: ['a', 'b'][least], sqnr: reports[least]!.ways[0]!.sqnr })
  })

  it('counts the bits of each tensor by its values: blocks that a row does not fill cost more', () => {
    const ways = quantizationWays.filter(({ scheme }) => scheme === 'mxfp4')
    const reports = [over('full', a, [3, 32]), over('short', b, [16, 2])].map((x) => tensorReport(x, ways))
    const bits = (96 * bitsPerElement(ways[0]!, [3, 32]) + 32 * bitsPerElement(ways[0]!, [16, 2])) / 128
    expect(wayTotals(reports)[0]?.bits).toBe(bits)
    expect(bits).toBe((96 * (4 + 8 / 32) + 32 * (4 + 8 / 2)) / 128)
  })

  it('refuses reports of different ways', () => {
    const other = quantizationWays.filter(({ scheme }) => scheme === 'bfloat16')
    expect(() => wayTotals([tensorReport(over('a', a), plain), tensorReport(over('b', b), other)])).toThrow(
      'wayTotals: reports of different ways [a, b]',
    )
  })
})

describe('magnitudes', () => {
  it('is the percentage of all values in each binade, zeros among them and not counted', () => {
    const surveys = [
      over('x', Float32Array.of(0, 1, 1.5, -2)),
      over('y', Float32Array.of(0, 0.75, 3, 0)),
    ].map(survey)
    expect(magnitudes(surveys)).toEqual([
      { x: -1, y: 12.5 },
      { x: 0, y: 25 },
      { x: 1, y: 25 },
    ])
  })
})
