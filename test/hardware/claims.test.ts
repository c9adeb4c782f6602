// Claims about chips in published toolkits that do not hold, and what does; those about slices, layouts, models and steps
// stand in their own tests.
import { chip, chipNames, slice } from 'tpu-toolkit/hardware'
import { describe, expect, it } from 'vitest'

describe('chip(name), against what is in print', () => {
  it('"links inside a tray are faster, about 340 GB/s": 90 to 100 GB/s each way, and a 2x2x1 has no wrap', () => {
    const v5p = chip('v5p')
    const { value, others } = v5p.facts.iciBytesPerSecondPerLink
    expect([value, ...others.map((other) => other.value)]).toEqual([90e9, 100e9])
    expect(slice('v5p-8').wrap).toEqual([false, false, false])
  })

  it('"v4 has 16 GB, v6e twice the memory of v4": both have 32', () => {
    expect([chip('v4').hbmGib, chip('v6e').hbmGib]).toEqual([32, 32])
  })

  it('"v3 computes int8 at the bfloat16 rate, 140 TOP/s": it has no int8 mode, and 123 TFLOP/s', () => {
    expect([chip('v3').int8OpsPerSecond, chip('v3').bfloat16FlopsPerSecond]).toEqual([null, 123e12])
  })

  it('"HBM of v5p 2.5 or 2.8 TB/s": 2.765', () => expect(chip('v5p').hbmBytesPerSecond).toBe(2.765e12))

  it('"links of 180 GB/s between neighbours": 90 each way', () => {
    expect(2 * (chip('v5p').iciBytesPerSecondPerLink ?? 0)).toBe(180e9)
  })

  it('"DCN 6.25 GB/s" is per chip: 25 per host of 4', () => {
    expect((chip('v5p').dcnBytesPerSecond ?? 0) * 4).toBe(25e9)
  })

  it('"v6e 920 TFLOP/s": 918', () => expect(chip('v6e').bfloat16FlopsPerSecond).toBe(918e12))

  it('"only v6e has arrays of 256": tpu7x has them too', () => {
    expect(chipNames.filter((name) => chip(name).mxuSide === 256)).toEqual(['v6e', 'tpu7x'])
  })

  it('"matrix units are Tensor Cores": a TensorCore holds 1 to 4 of them', () => {
    for (const name of chipNames) expect(chip(name).mxusPerCore).toBeGreaterThanOrEqual(1)
    expect(chip('v5p').tensorCores * chip('v5p').mxusPerCore).toBe(8)
  })
})
