import { decode, encode } from '../../../bf16/index.js'
import { roundingTo } from '../../../tensors/tensor/index.js'
import type { PrecisionFacts, Split } from './precisions.js'

/**
 * A float32 operand as the parts that a matrix unit multiplies, largest first: each takes what the parts before left over.
 * The last of several bfloat16 parts is always rounded; the one part of 'default' too.
 */
export function splitParts(
  x: Float32Array,
  { parts, bits, operands }: PrecisionFacts,
  split: Split,
): Float32Array[] {
  if (parts === 0) return [x]
  if (operands) return [x.map(roundingTo(operands))]
  const made: Float32Array[] = []
  let rest = x
  for (let part = 0; part < parts; part++) {
    const isLast = part === parts - 1
    const rounded = split === 'nearest' || (bits === 8 && isLast)
    const own = bits === 8 ? bfloat16Part(rest, rounded) : tf32Part(rest, rounded)
    made.push(own)
    if (!isLast) rest = difference(rest, own)
  }
  return made
}

function bfloat16Part(x: Float32Array, rounded: boolean): Float32Array {
  return rounded ? decode(encode(x)) : withoutLowBits(x, 16)
}

function tf32Part(x: Float32Array, rounded: boolean): Float32Array {
  return rounded ? tf32Nearest(x) : withoutLowBits(x, 13)
}

/** Cut toward zero: the low bits of every element 0. What hardware does that reads fewer bits than it is given. */
function withoutLowBits(x: Float32Array, count: number): Float32Array {
  const result = Float32Array.from(x)
  const words = new Uint32Array(result.buffer)
  const mask = (-1 << count) >>> 0
  // A NaN keeps its quiet bit, which is above all that is cut.
  for (let i = 0; i < words.length; i++) words[i] = words[i]! & mask
  return result
}

/** Rounded to 10 fraction bits, ties to even. */
function tf32Nearest(x: Float32Array): Float32Array {
  const result = new Float32Array(x.length)
  const words = new Uint32Array(result.buffer)
  result.set(x)
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    // Infinities and NaN stay; what rounds past the largest value carries into the exponent, which is infinity.
    if ((word & 0x7f800000) === 0x7f800000) continue
    words[i] = word + 0xfff + ((word >>> 13) & 1)
    words[i] = words[i]! & ~0x1fff
  }
  return result
}

function difference(x: Float32Array, y: Float32Array): Float32Array {
  const result = new Float32Array(x.length)
  for (let i = 0; i < x.length; i++) result[i] = x[i]! - y[i]!
  return result
}
