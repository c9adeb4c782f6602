import * as door from 'tpu-toolkit/bf16'
import { unaryNames, unaryTable } from 'tpu-toolkit/functions'
import { describe, expect, it } from 'vitest'

/** The door as a plain object, to be read by name. */
const bf16 = { ...door }

describe('unary functions on codes', () => {
  it.each(unaryNames)('bf16.%s(code) is the entry of its table for all 65,536 codes', (name) => {
    const table = bf16.table(name)
    expect(table).toBe(unaryTable(name, 'bfloat16'))
    const f = bf16[name]
    for (let code = 0; code < 65536; code++) {
      if (f(code) !== table[code]) expect([code, f(code)]).toEqual([code, table[code]])
    }
  })
  it('bf16.exp(65536) names the code', () => {
    expect(() => bf16.exp(65536)).toThrow(new RangeError('exp: code outside 0..65535 [65536]'))
    expect(() => bf16.relu(-1)).toThrow(new RangeError('relu: code outside 0..65535 [-1]'))
  })
  it('NaN of either sign gives 0x7FC0 in every function', () => {
    for (const name of unaryNames) {
      expect([name, bf16[name](0xffc1), bf16[name](0x7fff)]).toEqual([name, 0x7fc0, 0x7fc0])
    }
  })
})
