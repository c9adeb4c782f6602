import { bitsOf } from 'tpu-toolkit/hardware'
import { describe, expect, it } from 'vitest'

describe('bitsOf(dtype)', () => {
  it.each([
    ['float32', 32],
    ['bfloat16', 16],
    ['float8_e4m3fn', 8],
    ['bool', 8],
    ['int4', 4],
  ] as const)('%s has %i', (dtype, bits) => expect(bitsOf(dtype)).toBe(bits))

  it.each([
    ['bf16', 'bitsOf: unknown dtype, did you mean bfloat16 [bf16]'],
    ['bfloat1', 'bitsOf: unknown dtype, did you mean bfloat16 [bfloat1]'],
    ['fp8', 'bitsOf: unknown dtype, did you mean float8_e4m3fn [fp8]'],
  ])('%s is refused with the name that is meant', (dtype, message) => {
    expect(() => bitsOf(dtype as never)).toThrow(new RangeError(message))
  })
})
