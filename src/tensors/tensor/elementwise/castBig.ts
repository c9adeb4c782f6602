import type { AnyStorage, BigStorage } from '../storage/dtype.js'

/** Numbers or integers as 64-bit ones: floats are cut off and stay in range, NaN gives 0; of other integers the last bits count. */
export function bigsOf(values: AnyStorage | BigStorage, fromFloat: boolean, out: BigStorage): void {
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    for (let i = 0; i < out.length; i++) out[i] = values[i]!
    return
  }
  if (!fromFloat) {
    for (let i = 0; i < out.length; i++) out[i] = BigInt(values[i]!)
    return
  }
  const signed = out instanceof BigInt64Array
  const [lowest, above] = signed ? [-(2 ** 63), 2 ** 63] : [0, 2 ** 64]
  const most = BigInt(above) - 1n
  for (let i = 0; i < out.length; i++) {
    const value = Math.trunc(values[i]!)
    out[i] = Number.isNaN(value) ? 0n : value >= above ? most : BigInt(Math.max(lowest, value))
  }
}

/** The last 32 bits of each. */
export function wordsOfBig(values: BigStorage): Int32Array {
  const words = new Int32Array(values.length)
  for (let i = 0; i < words.length; i++) words[i] = Number(BigInt.asIntN(32, values[i]!))
  return words
}

/**
 * 64-bit integers as float64 numbers that round to any format of up to 42 bits as the integers do: exact up to 2^53, and above
 * with all that lies below bit 11 gathered in that bit, so that no number looks like a tie that is none.
 */
export function numbersForRounding(values: BigStorage): Float64Array {
  const numbers = new Float64Array(values.length)
  for (let i = 0; i < numbers.length; i++) {
    const value = values[i]!
    const number = Number(value)
    if (Math.abs(number) < 2 ** 53) {
      numbers[i] = number
      continue
    }
    const magnitude = value < 0n ? -value : value
    const rest = magnitude & 0x7ffn
    const gathered = Number(rest === 0n ? magnitude : (magnitude - rest) | 0x800n)
    numbers[i] = value < 0n ? -gathered : gathered
  }
  return numbers
}
