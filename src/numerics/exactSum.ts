import { shown } from '../base/options/index.js'
import { type NumberArray, Tensor } from '../tensors/tensor/index.js'

/**
 * The sum of all elements, exact, rounded once to float64: the same in every order, and without overflow on the way.
 *
 * Special   NaN, or infinities of both signs: NaN; one infinity: itself. No elements, or zeros only: +0.
 * Error     half an ulp of float64.
 * Cost      about four times a plain loop: integers per exponent, joined at the end.
 *
 * @example exactSum([1e308, 1e308, -1e308, 1e-300]) // 1e308
 * @example exactSum([1, 1e100, 1, -1e100]) // 2
 */
export function exactSum(values: Tensor | NumberArray | readonly number[]): number {
  if (!(values instanceof Tensor || Array.isArray(values) || ArrayBuffer.isView(values))) {
    throw new TypeError(`exactSum: not a tensor or a list of numbers [${shown(values)}]`)
  }
  const list = values instanceof Tensor ? values.toNumbers() : values
  const high = new Float64Array(2047)
  const low = new Float64Array(2047)
  let total = 0n
  let special = 0
  for (let i = 0; i < list.length; i++) {
    const value = list[i]!
    if (!Number.isFinite(value)) {
      if (typeof value !== 'number') throw new TypeError(`exactSum: not a number [${shown(value)}]`)
      special += value
      continue
    }
    scratch[0] = value
    const top = words[upper]!
    const exponent = (top >>> 20) & 2047
    const head = (top & 0xfffff) | (exponent === 0 ? 0 : 0x100000)
    const tail = words[1 - upper]!
    if (top >>> 31) {
      high[exponent]! -= head
      low[exponent]! -= tail
    } else {
      high[exponent]! += head
      low[exponent]! += tail
    }
    // 2^20 words below 2^32 add up exactly.
    if (i % 2 ** 20 === 2 ** 20 - 1) total += drain(high, low)
  }
  if (special !== 0) return Number.isNaN(special) ? Number.NaN : special
  return toFloat64(total + drain(high, low))
}

const scratch = new Float64Array(1)
const words = new Uint32Array(scratch.buffer)
/** Which of the two words holds sign and exponent. */
const upper: number = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 1 : 0

/** Empties the words into one integer, in units of 2^-1074. */
function drain(high: Float64Array, low: Float64Array): bigint {
  let total = 0n
  for (let exponent = 0; exponent < high.length; exponent++) {
    if (high[exponent] === 0 && low[exponent] === 0) continue
    const mantissa = (BigInt(high[exponent]!) << 32n) + BigInt(low[exponent]!)
    total += mantissa << BigInt(Math.max(exponent - 1, 0))
  }
  high.fill(0)
  low.fill(0)
  return total
}

/** An integer times 2^-1074, rounded to nearest even. */
function toFloat64(units: bigint): number {
  const magnitude = units < 0n ? -units : units
  const shift = Math.max(0, magnitude.toString(16).length * 4 - 64)
  const kept = magnitude >> BigInt(shift)
  // The bits cut off can only break a tie, so one bit below stands for all of them.
  const sticky = kept << BigInt(shift) === magnitude ? 0n : 1n
  const rounded = Number((kept << 1n) | sticky) / 2
  const value = rounded * 2 ** (shift - 1074)
  return units < 0n ? -value : value
}
