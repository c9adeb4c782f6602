import { describe, expect, it } from 'vitest'
import { make, type ScheduleKey, scheduleKeys } from './keys.js'

/** The largest value among the arguments (0.1 of `peak_value: 0.1`, not steps, shares or factors) and the results. */
function largest({ args, eager }: ScheduleKey): number {
  const given: number[] = []
  const collect = (value: unknown, name: string): void => {
    if (typeof value === 'number' && /value$/.test(name)) {
      given.push(Math.abs(value))
    } else if (typeof value === 'object' && value !== null) {
      for (const [inner, v] of Object.entries(value)) collect(v, inner)
    }
  }
  collect(args, '')
  return Math.max(...given, ...eager.map(Math.abs))
}

const ulp32 = (value: number): number => 2 ** Math.max(Math.floor(Math.log2(value)) - 23, -149)
const raisesToAPower = ({ kind, args }: ScheduleKey): boolean =>
  kind.endsWith('exponential_decay') || ![1, undefined].includes(args['exponent'] as number | undefined)

describe('every schedule of the key', () => {
  it('the key has 62 schedules, 7,503 values, of every kind of optax', () => {
    expect(scheduleKeys.length).toBe(62)
    expect(scheduleKeys.reduce((n, key) => n + key.steps.length, 0)).toBe(7503)
    expect(new Set(scheduleKeys.map((key) => key.kind)).size).toBe(15)
  })

  // Nothing but optax's own float32 roundings lies between: the measured worst is 1.5 without a power, 3.6 with one.
  it.each(scheduleKeys)("$title is within 2 ulp (a power: 8) of float32 of optax's eager values", (key) => {
    const rate = make(key.kind, key.args)
    const most = (raisesToAPower(key) ? 8 : 2) * ulp32(largest(key))
    const off = key.steps.filter((step, i) => !(Math.abs(Math.fround(rate(step)) - key.eager[i]!) <= most))
    expect(off).toEqual([])
  })

  it.each(scheduleKeys.filter((key) => key.kind === 'exponential_decay'))(
    '$title is within 8 ulp of float32 of the value itself',
    (key) => {
      const rate = make(key.kind, key.args)
      const off = key.steps.filter((step, i) => {
        const value = key.eager[i]!
        return !(Math.abs(Math.fround(rate(step)) - value) <= 8 * ulp32(Math.abs(value)))
      })
      expect(off).toEqual([])
    },
  )

  // Both sides evaluate the same formula, in other orders of operations: the measured worst is 3.1.
  it.each(scheduleKeys)('$title is within 4 ulp of float64 of the formula in Python', (key) => {
    const rate = make(key.kind, key.args)
    const most = 4 * ulp32(largest(key)) * 2 ** -29
    const off = key.steps.filter((step, i) => !(Math.abs(rate(step) - key.f64[i]!) <= most))
    expect(off).toEqual([])
  })

  it('ulp32 is the spacing of float32', () => {
    expect([1, 1.5, 3e-4, 2 ** -130].map(ulp32)).toEqual([2 ** -23, 2 ** -23, 2 ** -35, 2 ** -149])
  })
})
