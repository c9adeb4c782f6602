import { checkName } from '../../../base/options/index.js'
import { type FloatDType, roundingTo } from '../../../tensors/tensor/index.js'
import { type DTypeOption, type Failure, failure } from '../record/failure.js'
import { blue, red, say } from '../record/shown.js'

/** The feature. */
export interface FeatureOfRoundingOptions extends DTypeOption {
  /** What says that nothing moved: a deviation of 0, or the greatest price being the least. Default: 'deviation'. */
  readonly test?: 'deviation' | 'range'
}

const window = 20
const prices = 2000

/**
 * Twenty equal prices, and where in its band the price stands: a feature made of rounding.
 *
 * Readings  `wrong`: of the prices 1.00 to 20.99 those whose window of twenty equal ones gives a feature other than 0, `largest` of
 *           its amounts. The stable twin asks whether the greatest is the least.
 *
 * @example featureOfRounding.run().naive.largest // 0.5
 */
export const featureOfRounding: Failure<FeatureOfRoundingOptions> = failure<FeatureOfRoundingOptions>({
  id: 'feature-of-rounding',
  title: 'A feature made of rounding: nothing moved, and the feature says 0.5',
  story:
    'Where a price stands in its band, (C - mean) / (2 std) of the last twenty, is a usual input of agents that trade; where nothing moved it is to be 0, and code asks for a deviation above 0 before it divides. But the rounded mean of twenty equal prices is often not the price: the deviation is the distance to it, not 0, and the feature is exactly 0.5 or -0.5, the largest signal there is, made of the last bit.',
  source: 'https://github.com/pandas-dev/pandas/issues/67022',
  reported:
    'The standard deviation of a series of exactly equal float64 numbers is not 0. It was closed as what floating point does: a check for equal numbers was not thought worth its price.',
  repairs: [{ change: 'ask whether the greatest price is the least', options: { test: 'range' } }],
  cure: { none: 'it is in float64 already, and a wider format has other prices that it happens to' },
  options: { dtype: 'optional', test: 'optional' },
  run({ dtype = 'float64', test = 'deviation' }) {
    checkName(this.id, 'test', test, ['deviation', 'range'])
    const found = Array.from({ length: prices }, (_, i) => feature((100 + i) / 100, dtype, test))
    const wrong = found.filter((x) => x !== 0).length
    const largest = found.reduce((a, b) => Math.max(a, Math.abs(b)), 0)
    const holds = wrong > 0
    const shown = found.slice(0, 200)
    return {
      naive: { wrong, largest },
      stable: { wrong: 0, largest: 0 },
      holds,
      text: holds
        ? `Of ${say(prices)} prices ${say(wrong)} give twenty times the same a feature other than 0, up to ${say(largest)}.`
        : `Of ${say(prices)} prices none gives twenty times the same a feature other than 0.`,
      figure: {
        kind: 'scatter',
        caption: 'The feature of twenty equal prices, against the price.',
        axes: ['price', 'feature'],
        series: [
          blue(
            'greatest = least',
            shown.map((_, i) => ({ x: (100 + i) / 100, y: 0 })),
          ),
          red(
            `asked by ${test}`,
            shown.map((y, i) => ({ x: (100 + i) / 100, y })),
          ),
        ],
      },
    }
  },
})

/** (C - mean) / (2 std) of a window of equals, every operation rounded. */
function feature(price: number, dtype: FloatDType, test: 'deviation' | 'range'): number {
  if (test === 'range') return 0
  const round = roundingTo(dtype)
  const x = round(price)
  const meanOf = (y: number): number => {
    let sum = 0
    for (let i = 0; i < window; i++) sum = round(sum + y)
    return round(sum / window)
  }
  const apart = round(x - meanOf(x))
  const deviation = round(Math.sqrt(meanOf(round(apart * apart))))
  return deviation > 0 ? round(apart / round(2 * deviation)) : 0
}
