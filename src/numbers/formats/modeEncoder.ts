import { encodeByRule } from './encode.js'
import type { FloatFormat } from './format.js'
import type { Rounding, RoundingRule } from './rounding.js'

/** Encodes `count` values into as many codes, in any mode but nearest even, for a format that is usual. */
export interface ModeEncoder {
  readonly values: Float64Array
  readonly codes: Uint16Array
  run(count: number): void
}

/** What a loop has to know of a format and a mode. */
interface Facts {
  /** Significand bits that are cut from the upper word of a float64. */
  readonly shift: number
  readonly rebias: number
  readonly minNormal: number
  readonly subnormalScale: number
  /** Up to it no mode overflows. */
  readonly max: number
  readonly signMask: number
  readonly negativeZero: boolean
  /** Which of the reasons to go to the upper neighbour count: masks of one bit. */
  readonly half: number
  readonly up: number
  readonly down: number
  readonly odd: number
  readonly draw: number
}

function factsOf(format: FloatFormat, rounding: Rounding): Facts {
  const { mantissaBits, bias, minNormal, max, signMask, negativeZero } = format
  const only = (...modes: Rounding[]) => (modes.includes(rounding) ? 1 : 0)
  return {
    shift: 20 - mantissaBits,
    rebias: (1023 - bias) * 2 ** mantissaBits,
    minNormal,
    subnormalScale: 2 ** (bias - 1 + mantissaBits),
    max,
    signMask,
    negativeZero,
    half: only('nearest-away'),
    up: only('up'),
    down: only('down'),
    odd: only('to-odd'),
    draw: only('stochastic'),
  }
}

/** The encoder for up to `length` values at a time; its reference is `encodeByRule`. */
export function modeEncoder(format: FloatFormat, rule: RoundingRule, length: number): ModeEncoder {
  const values = new Float64Array(length)
  const words = new Int32Array(values.buffer)
  const drawn = new Int32Array(length)
  const codes = new Uint16Array(length)
  const facts = factsOf(format, rule.rounding)
  const run = (count: number): void => {
    if (facts.draw === 1) for (let i = 0; i < count; i++) drawn[i] = rule.random()
    if (!encodeFinite(values, words, drawn, count, facts, codes)) return
    for (let i = 0; i < count; i++) {
      if (!(Math.abs(values[i]!) <= facts.max)) {
        codes[i] = encodeByRule(values[i]!, format, { ...rule, random: () => drawn[i]! >>> 0 })
      }
    }
  }
  return { values, codes, run }
}

/** Encodes what is not beyond max; returns whether anything is. No branch depends on digits, which would be at random. */
function encodeFinite(
  values: Float64Array,
  words: Int32Array,
  drawn: Int32Array,
  count: number,
  { shift, rebias, minNormal, subnormalScale, max, signMask, negativeZero, half, up, down, odd, draw }: Facts,
  codes: Uint16Array,
): boolean {
  let beyond = false
  for (let i = 0; i < count; i++) {
    const magnitude = Math.abs(values[i]!)
    const high = words[2 * i + 1]!
    const negative = high >>> 31
    // The neighbour toward zero, the first 32 binary digits of the place above it, and whether there are more.
    let lower: number
    let digits: number
    let more: number
    if (magnitude >= minNormal && magnitude <= max) {
      const low = words[2 * i]!
      lower = ((high & 0x7fffffff) >>> shift) - rebias
      digits = (high << (32 - shift)) | (low >>> shift)
      more = low << (32 - shift)
    } else if (magnitude < minNormal) {
      const scaled = magnitude * subnormalScale
      lower = Math.floor(scaled)
      const place = (scaled - lower) * 2 ** 32
      digits = place | 0
      more = place % 1 === 0 ? 0 : 1
    } else {
      beyond = true
      continue
    }
    const cut = digits | more
    const inexact = (cut | -cut) >>> 31
    // The borrow of word - digits, both unsigned.
    const word = drawn[i]!
    const below = ((~word & digits) | ((~word | digits) & (word - digits))) >>> 31
    const directed = (up & ~negative) | (down & negative) | (odd & ~lower)
    const code = lower + ((half & (digits >>> 31)) | (inexact & directed) | (draw & below))
    codes[i] = code === 0 && !negativeZero ? 0 : code + negative * signMask
  }
  return beyond
}
