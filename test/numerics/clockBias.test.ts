import { boundedClockBias } from 'tpu-toolkit/numerics'
import { fromBits, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { hexCodes, readKey } from '../support/reductionKeys.js'

interface BiasKey {
  readonly first_input_code_with_tanh_exactly_1: string
  readonly value: number
  readonly per_max_delta: {
    readonly max_delta: number
    readonly max_delta_bits: string
    readonly first_code_with_bias_equal: string
    readonly any_strictly_above: boolean
    readonly largest_bias_below: string
    readonly stays_below_f64_max_delta: boolean
    readonly first_bits_reaching_f64_max_delta: string | null
  }[]
}

const key = readKey<BiasKey>('clock_bias')
const allCodes = fromBits(
  Uint16Array.from({ length: 65_536 }, (_, code) => code),
  { dtype: 'bfloat16' },
)

describe('boundedClockBias', () => {
  it.each(key.per_max_delta)(
    'maxDelta $max_delta: bounds and the code that reaches them are those recorded',
    (row) => {
      const limit = hexCodes(row.max_delta_bits)[0]!
      const bias = boundedClockBias(allCodes, { maxDelta: row.max_delta })
      const codes = bias.toBits()
      const values = bias.toNumbers()
      const largest = tensor(row.max_delta, { dtype: 'bfloat16' }).item()
      expect(tensor(row.max_delta, { dtype: 'bfloat16' }).toBits()[0]).toBe(limit)
      // All 65,536 codes: never above the limit in magnitude.
      expect(values.some((value) => Math.abs(value) > largest)).toBe(row.any_strictly_above)
      const positive = Array.from(codes.subarray(0, 0x7f81) as Uint16Array)
      expect(positive.indexOf(limit)).toBe(hexCodes(row.first_code_with_bias_equal)[0])
      expect(Math.max(...positive.filter((code) => code < limit))).toBe(hexCodes(row.largest_bias_below)[0])
      const reaching = values.subarray(0, 0x7f81).findIndex((value) => value > row.max_delta)
      const first = row.first_bits_reaching_f64_max_delta
      if (first !== null && largest > row.max_delta) expect(reaching).toBe(hexCodes(first)[0])
      if (row.stays_below_f64_max_delta) expect(largest).toBeLessThan(row.max_delta)
    },
  )

  it('the error is at most 2 u + u^2 of tanh(raw) times the rounded limit, u = 2^-8, for every code', () => {
    const limit = tensor(0.1, { dtype: 'bfloat16' }).item()
    const bias = boundedClockBias(allCodes, { maxDelta: 0.1 }).toNumbers()
    allCodes.toNumbers().forEach((raw, i) => {
      if (Number.isNaN(raw)) return
      const exact = Math.tanh(raw) * limit
      // Below the normal range half of the smallest subnormal comes in, twice.
      const bound = Math.abs(exact) * (2 ** -7 + 2 ** -16) + 2 ** -133
      expect(Math.abs(bias[i]! - exact)).toBeLessThanOrEqual(bound)
    })
  })

  it('tanh is 1 from 3.46875 on', () => {
    const code = hexCodes(key.first_input_code_with_tanh_exactly_1)[0]!
    expect(fromBits([code], { dtype: 'bfloat16' }).item()).toBe(key.value)
    const around = fromBits([code - 1, code], { dtype: 'bfloat16' })
    expect(boundedClockBias(around, { maxDelta: 1 }).toNested()).toEqual([0.99609375, 1])
  })

  it.each(['float16', 'float32', 'float8_e4m3fn'] as const)(
    'stays within the rounded limit in %s',
    (dtype) => {
      const raw = tensor([-1e30, -9, -0.5, 0, 0.5, 9, 1e30], { dtype })
      const limit = tensor(0.1, { dtype }).item()
      for (const value of boundedClockBias(raw, { maxDelta: 0.1 }).toNumbers()) {
        if (!Number.isNaN(value)) expect(Math.abs(value)).toBeLessThanOrEqual(limit)
      }
    },
  )

  it('NaN stays NaN, a limit of 0 gives 0', () => {
    const raw = tensor([Number.NaN, 1], { dtype: 'bfloat16' })
    expect(boundedClockBias(raw, { maxDelta: 0 }).toNested()).toEqual([Number.NaN, 0])
  })

  it('refuses a limit that is negative, NaN, or infinite in the dtype, and integers', () => {
    const raw = tensor([1], { dtype: 'float16' })
    for (const maxDelta of [-0.1, Number.NaN, Infinity]) {
      expect(() => boundedClockBias(raw, { maxDelta })).toThrow(
        new RangeError(`boundedClockBias: maxDelta is not a finite number, 0 or more [${maxDelta}]`),
      )
    }
    expect(() => boundedClockBias(raw, { maxDelta: 1e6 })).toThrow(
      new RangeError('boundedClockBias: maxDelta is not finite in float16 [1000000]'),
    )
    expect(() => boundedClockBias(tensor([1], { dtype: 'int32' }), { maxDelta: 1 })).toThrow(
      new TypeError('boundedClockBias: needs a floating-point dtype, cast first [int32]'),
    )
  })
})
