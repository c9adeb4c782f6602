import { drift, errorBound, exactSum, stableCumsum } from 'tpu-toolkit/numerics'
import { abs, cumsum, tensor } from 'tpu-toolkit/tensor'
import { type DriftAnswer, type DriftAsked, driftOrders } from './driftMessages.js'

/** The running sums of a series in a dtype, an order and an accumulator, and how far off they are. */
export function driftOf({ id, values, dtype, order, accumulate }: DriftAsked): DriftAnswer {
  const x = tensor(values, { dtype })
  const rounded = x.toNumbers()
  const exact = runningExact(rounded)
  const how = { order: driftOrders[order], accumulate }
  const result = cumsum(x, how)
  const stable = stableCumsum(x)
  const [sums, steady] = [result.toNumbers(), stable.toNumbers()]
  const reference = tensor(exact, { dtype: 'float64' })
  const measured = drift(result, reference)
  return {
    id,
    ...{ sums, exact, stable: steady },
    error: distance(sums, exact),
    stableError: distance(steady, exact),
    ...{ maxAbs: measured.maxAbs, maxUlps: measured.maxUlps, stallIndex: measured.stallIndex },
    stableMaxAbs: drift(stable, reference).maxAbs,
    bound: boundOf(),
    milliseconds: 0,
  }

  function boundOf(): DriftAnswer['bound'] {
    const sumAbs = exactSum(abs(x))
    if (!Number.isFinite(sumAbs)) return null
    const { bound, formula } = errorBound('cumsum', { n: rounded.length, dtype, ...how }, { sumAbs })
    return { bound, formula }
  }
}

/** Every partial sum, correctly rounded to float64 but for a part in 2^100: two float64 carried. */
function runningExact(values: Float64Array): Float64Array {
  let [high, low] = [0, 0]
  return values.map((value) => {
    const sum = high + value
    const back = sum - high
    // Nothing is left to carry beside an infinite sum: Inf - Inf would make it NaN.
    low = Number.isFinite(sum) ? low + (high - (sum - back) + (value - back)) : 0
    high = sum
    return high + low
  })
}

function distance(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, i) => Math.abs(value - b[i]!))
}
