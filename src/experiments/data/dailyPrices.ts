/** Daily prices, a bar a row, oldest first. */
export interface DailyPrices {
  readonly dates: readonly string[]
  readonly open: Float64Array
  readonly high: Float64Array
  readonly low: Float64Array
  readonly close: Float64Array
  readonly volume: Float64Array
}

/** The bars that scripts/realData.ts has written, six numbers to the base 36 each. */
export function dailyPrices(bars: string): DailyPrices {
  const numbers = bars.split(' ').map((digits) => Number.parseInt(digits, 36))
  const rows = numbers.length / 6
  const column = (): Float64Array => new Float64Array(rows)
  const prices = { open: column(), high: column(), low: column(), close: column(), volume: column() }
  const dates: string[] = []
  let [day, last] = [0, 0]
  for (let row = 0; row < rows; row++) {
    const [days, gap, above, below, body, volume] = numbers.slice(6 * row, 6 * row + 6) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ]
    const open = last + gap
    const close = open + body
    day += days
    last = close
    dates.push(new Date(day * 86_400_000).toISOString().slice(0, 10))
    prices.open[row] = price(open)
    prices.close[row] = price(close)
    prices.high[row] = price(Math.max(open, close) + above)
    prices.low[row] = price(Math.min(open, close) - below)
    prices.volume[row] = volume * 10_000
  }
  return { dates, ...prices }
}

/** Cents as the source has them: a float32 written with six digits. */
const price = (cents: number): number => Number(Math.fround(cents / 100).toFixed(6))
