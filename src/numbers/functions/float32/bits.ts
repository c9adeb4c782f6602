import type { int } from './numbers.js'

// The bits of numbers, for TypeScript; wasm/assembly/float32/bits.ts has the same for AssemblyScript.

const number = new Float64Array(1)
const words = new Int32Array(number.buffer)

/** x without its fraction. */
export function toInt(x: number): int {
  return x | 0
}

/** The largest e with 2^e <= |x|, of a normal x. */
export function exponentOf(x: number): int {
  number[0] = x
  return ((words[1]! >> 20) & 0x7ff) - 1023
}

/** 2^k for k of -1022 to 1023. */
export function powerOfTwo(k: int): number {
  words[0] = 0
  words[1] = (k + 1023) << 20
  return number[0]!
}
