import type { PriceSeries } from 'tpu-toolkit/env'
import { Columns } from '../support/columns.js'

export const keys = new Columns('rl/environment')

/** A column of float64, as numbers. */
export const numbers = (name: string): Float64Array =>
  new Float64Array(BigUint64Array.from(keys.u64(name)).buffer)

/** The prices of a key. */
export function pricesOf(name: string): PriceSeries {
  const rows = numbers(`${name}_ohlcv`)
  const column = (j: number): Float64Array =>
    Float64Array.from({ length: rows.length / 5 }, (_, t) => rows[5 * t + j]!)
  return { open: column(0), high: column(1), low: column(2), close: column(3), volume: column(4) }
}
