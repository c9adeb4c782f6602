import { round } from 'tpu-toolkit/formats'
import { stableExp } from 'tpu-toolkit/numerics'
import { exp, fromBits, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const allCodes = fromBits(
  Uint16Array.from({ length: 65_536 }, (_, code) => code),
  { dtype: 'bfloat16' },
)

describe('stableExp', () => {
  it('stableExp(x) is the correctly rounded exp for all 65,536 codes of bfloat16', () => {
    expect(stableExp(allCodes).toBits()).toEqual(exp(allCodes).toBits())
  })

  it('stableExp(x, { dtype }) rounds the float64 exp once, to that dtype', () => {
    const wide = stableExp(allCodes, { dtype: 'float32' }).toNumbers()
    const half = stableExp(allCodes, { dtype: 'float16' }).toNumbers()
    allCodes.toNumbers().forEach((x, i) => {
      expect(wide[i]).toBe(Math.fround(Math.exp(x)))
      expect(half[i]).toBe(round(Math.exp(x), 'float16'))
    })
  })

  it('float64 stays float64, integers are refused', () => {
    expect(stableExp(tensor([1], { dtype: 'float64' })).item()).toBe(Math.E)
    expect(() => stableExp(tensor([1], { dtype: 'int32' }))).toThrow(
      new TypeError('stableExp: needs a floating-point dtype, cast first [int32]'),
    )
  })
})
