import { decodeArray, format, formatNames, ulp } from 'tpu-toolkit/formats'
import { dtypeFacts, dtypes, fromBits, isFloat, zeros } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

describe('dtypeFacts', () => {
  it.each(formatNames)('(%s) are the facts of its format', (name) => {
    const facts = dtypeFacts(name)
    expect(facts).toMatchObject({ dtype: name, isFloat: true })
    const { bits, precision, max, lowest, minNormal, minPositive, minExponent, maxExponent, eps, signed } =
      format(name)
    expect(facts).toMatchObject({ bits, precision, max, lowest, minNormal, minPositive })
    expect(facts).toMatchObject({ minExponent, maxExponent, eps, signed })
    expect(facts.format).toBe(format(name))
    for (const value of [0, 1, -3, 1e-45, 1e38, 5, Number.NaN, Infinity]) {
      expect(facts.ulp(value)).toBe(ulp(value, name))
    }
  })

  // Bit patterns of IEEE 754 binary32 and binary64: least subnormal, least normal, largest, one and the next.
  it.each([
    ['float32', [1, 0x800000, 0x7f7fffff, 0x3f800000, 0x3f800001]],
    ['float64', [1n, 1n << 52n, (2047n << 52n) - 1n, 1023n << 52n, (1023n << 52n) + 1n]],
  ] as const)('(%s) are the values of its bit patterns', (dtype, patterns) => {
    const codes =
      dtype === 'float64'
        ? BigUint64Array.from(patterns as readonly bigint[])
        : Uint32Array.from(patterns as readonly number[])
    const [least, normal, largest, one, next] = fromBits(codes, { dtype }).toNumbers()
    const facts = dtypeFacts(dtype)
    expect(facts).toMatchObject({ minPositive: least, minNormal: normal, max: largest, lowest: -largest! })
    expect(facts.eps).toBe(next! - one!)
    expect(2 ** facts.minExponent).toBe(normal)
    expect(2 ** facts.maxExponent).toBeLessThanOrEqual(largest!)
    expect(2 ** (1 - facts.precision)).toBe(facts.eps)
    expect(facts.ulp(largest!)).toBe(2 ** (facts.maxExponent + 1 - facts.precision))
    expect([facts.ulp(0), facts.ulp(least!), facts.ulp(normal!)]).toEqual([least, least, least])
    expect(facts.ulp(-3)).toBe(2 * facts.eps)
    expect(facts.ulp(Number.NaN)).toBeNaN()
    expect(facts.format).toBeUndefined()
  })

  it('(int32), uint32 and bool have the range of what they store, and a spacing of 1', () => {
    expect(dtypeFacts('int32')).toMatchObject({
      bits: 32,
      max: 2147483647,
      lowest: -2147483648,
      signed: true,
    })
    expect(dtypeFacts('uint32')).toMatchObject({ bits: 32, max: 4294967295, lowest: 0, signed: false })
    expect(dtypeFacts('bool')).toMatchObject({ bits: 1, max: 1, lowest: 0, precision: 1 })
    expect(dtypeFacts('int32').ulp(1e6)).toBe(1)
  })

  it.each(dtypes)('(%s) names the storage that tensors have, and whether it is a float', (dtype) => {
    const facts = dtypeFacts(dtype)
    expect(zeros([2], { dtype }).data).toBeInstanceOf(facts.storage)
    expect(facts.isFloat).toBe(isFloat(dtype))
    expect(facts.isFloat && facts.signed ? -facts.max : 0).toBe(
      facts.isFloat && facts.signed ? facts.lowest : 0,
    )
  })

  it('(name) of no dtype is a TypeError', () => {
    expect(() => dtypeFacts('bf16' as never)).toThrow(TypeError)
  })

  it('(float8_e5m2) agrees with every code of the format', () => {
    const values = [
      ...decodeArray(
        Uint8Array.from({ length: 256 }, (_, code) => code),
        'float8_e5m2',
      ),
    ]
    const finite = values.filter(Number.isFinite)
    expect(Math.max(...finite)).toBe(dtypeFacts('float8_e5m2').max)
    expect(Math.min(...finite.filter((x) => x > 0))).toBe(dtypeFacts('float8_e5m2').minPositive)
  })
})
