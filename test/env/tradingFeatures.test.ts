import { sp500 } from 'tpu-toolkit/data'
import { featureNames, fitScaler, tradingFeatures } from 'tpu-toolkit/env'
import { describe, expect, it } from 'vitest'
import { keys, numbers, pricesOf } from './series.js'

describe('tradingFeatures', () => {
  it('has the twenty features of the key, in its order', () => {
    expect(featureNames).toEqual(keys.facts['features'])
  })

  it.each(['walk', 'flat', 'sp500'])('%s: every feature is within 1e-9 of the key', (name) => {
    const { values, firstRow } = tradingFeatures(pricesOf(name))
    const expected = numbers(`${name}_features`)
    expect(firstRow).toBe(50)
    expect(values.length).toBe(expected.length)
    expect(Math.max(...values.map((x, i) => Math.abs(x - expected[i]!)))).toBeLessThanOrEqual(1e-9)
  })

  it('bollinger20 and volume20 of flat are 0 where the key says so, to the bit', () => {
    const { values } = tradingFeatures(pricesOf('flat'))
    const expected = numbers('flat_features')
    const exact = [16, 18]
      .flatMap((j) => Array.from({ length: 210 }, (_, row) => 20 * row + j))
      .filter((i) => expected[i] === 0)
    expect(exact.length).toBeGreaterThanOrEqual(40)
    for (const i of exact) expect(values[i]).toBe(0)
  })

  it('the first 260 days of the index are those of the key', () => {
    const { close, open, high, low, volume } = sp500()
    const key = pricesOf('sp500')
    expect(close.slice(0, 260)).toEqual(key.close)
    expect([open, high, low, volume].map((column) => column.slice(0, 260))).toEqual([
      key.open,
      key.high,
      key.low,
      key.volume,
    ])
  })

  it('says which row has a gap, a price of 0, or prices out of order', () => {
    const broken = (change: (close: Float64Array) => void) => {
      const series = pricesOf('walk')
      const close = Float64Array.from(series.close)
      change(close)
      return () => tradingFeatures({ ...series, close })
    }
    expect(broken((close) => close.fill(Number.NaN, 7, 8))).toThrow(
      'row 7 has a gap, close is no number above 0 [NaN]',
    )
    expect(broken((close) => close.fill(0, 9, 10))).toThrow('row 9 has a gap, close is no number above 0 [0]')
    expect(broken((close) => close.fill(1e9, 3, 4))).toThrow('row 3 has prices outside of its low and high')
    expect(() => tradingFeatures({ ...pricesOf('walk'), open: [1] })).toThrow(
      'unlike lengths [open 1, close 260]',
    )
  })
})

describe('fitScaler', () => {
  const features = tradingFeatures(pricesOf('walk'))

  it('gives the rows of training the mean 0 and the deviation 1', () => {
    const scaled = fitScaler(features, { to: 150 })
      .apply(features.values)
      .subarray(0, 100 * 20)
    for (let j = 0; j < 20; j++) {
      const column = Array.from({ length: 100 }, (_, row) => scaled[20 * row + j]!)
      const mean = column.reduce((a, b) => a + b) / 100
      // Float32 numbers of size 1, averaged in float64.
      expect(Math.abs(mean)).toBeLessThanOrEqual(100 * 2 ** -24)
      expect(Math.sqrt(column.reduce((a, b) => a + (b - mean) ** 2, 0) / 100)).toBeCloseTo(1, 6)
    }
  })

  it('does not depend on later rows', () => {
    const values = Float64Array.from(features.values, (x, i) => (i < 100 * 20 ? x : x + 1))
    expect(fitScaler({ ...features, values }, { to: 150 }).std).toEqual(fitScaler(features, { to: 150 }).std)
  })

  it('makes 0 of a feature that never changes', () => {
    const constant = { names: ['a'], firstRow: 0, values: new Float64Array(20).fill(0.1) }
    expect(fitScaler(constant, { to: 20 }).apply(constant.values)).toEqual(new Float32Array(20))
  })

  it('refuses rows without features', () => {
    expect(() => fitScaler(features, { from: 49, to: 60 })).toThrow(
      'from is not a whole number from 50 to 259 [49]',
    )
    expect(() => fitScaler(features, { to: 261 })).toThrow('[261]')
  })
})
