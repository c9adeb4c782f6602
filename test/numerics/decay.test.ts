import { naiveCumsum, naiveDecay, stableCumsum, stableDecay } from 'tpu-toolkit/numerics'
import { cast, fromBits, ones, slice, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { bfloat16, driftInput, hexOf, readKey } from '../support/reductionKeys.js'

interface DecayKeys {
  readonly rows: [dt: string, A: number, L: number, naive: number, cast: number, stable: number][]
  readonly bits: Record<string, { dt: string; naive: string; cast: string; f32internal: string }>
}

const { rows, bits } = readKey<DecayKeys>('stable_decay')

/** The three ways of the key: everything rounded, a float32 cumsum that is rounded, and float32 until the end. */
function decays(
  A: number,
  dt: Tensor<'bfloat16'>,
): Record<'naive' | 'cast' | 'f32internal', Tensor<'bfloat16'>> {
  const kept = stableCumsum(dt, { dtype: 'float32' })
  return {
    naive: naiveDecay(A, naiveCumsum(dt)),
    cast: naiveDecay(A, stableCumsum(dt)),
    f32internal: stableDecay(A, kept, { dtype: 'bfloat16' }),
  }
}

describe('decays against stable_decay', () => {
  it.each(Object.keys(bits))('%s: naive, cast and stable decays are the recorded codes', (name) => {
    const key = bits[name]!
    const found = decays(Number(name.split(',')[1]), bfloat16(key.dt))
    for (const way of ['naive', 'cast', 'f32internal'] as const) expect(hexOf(found[way]), way).toBe(key[way])
  })

  // Of the small dt the key holds 128 only.
  const known = rows.filter(([dt, , L]) => L <= 128 || !dt.startsWith('small'))

  it.each(known)(
    '%s, A = %d, L = %i: the largest relative errors are those recorded',
    (dt, A, L, ...errors) => {
      const whole = bits[`${dt},${A},128`]
      const x = L <= 128 ? slice(bfloat16(whole!.dt), [[0, L]]) : driftInput(dt, L)
      const found = decays(A, x)
      let cs = 0
      const exact = x.toNumbers().map((value) => {
        cs += value
        return Math.exp(A * cs)
      })
      const worst = (y: Tensor): number =>
        y.toNumbers().reduce((most, value, i) => {
          const truth = exact[i]!
          return truth < 2 ** -126 ? most : Math.max(most, Math.abs(value - truth) / truth)
        }, 0)
      const measured = [worst(found.naive), worst(found.cast), worst(found.f32internal)]
      // The float64 reference itself: L sums and one exp of an exponent below 88, so 2^-53 (88 L + 2) at most, relatively.
      measured.forEach((error, i) => {
        expect(Math.abs(error - errors[i]!)).toBeLessThanOrEqual((1 + errors[i]!) * (88 * L + 2) * 2 ** -53)
      })
    },
  )
})

describe('decays', () => {
  it('stableDecay(A, cs) takes A as a tensor and broadcasts it', () => {
    const A = tensor([[-1], [-4]], { dtype: 'bfloat16' })
    const cs = tensor([0.5, 1], { dtype: 'bfloat16' })
    expect(stableDecay(A, cs).shape).toEqual([2, 2])
    expect(hexOf(slice(stableDecay(A, cs), [1]))).toBe(hexOf(stableDecay(-4, cs)))
    expect(hexOf(slice(naiveDecay(A, cs), [1]))).toBe(hexOf(naiveDecay(-4, cs)))
  })

  it('a number A is rounded to the dtype of cs first', () => {
    const cs = ones([1], { dtype: 'bfloat16' })
    const rounded = tensor(-0.1, { dtype: 'bfloat16' }).item()
    expect(stableDecay(-0.1, cs, { dtype: 'float64' }).item()).toBe(Math.fround(Math.exp(rounded)))
  })

  it('an exponent of -Inf gives 0, an overflow Infinity, 0 times Infinity NaN', () => {
    const cs = tensor([Infinity, 1e30], { dtype: 'bfloat16' })
    const twins: ((A: number, cs: Tensor) => Tensor)[] = [naiveDecay, stableDecay]
    for (const decay of twins) {
      expect(decay(-1, cs).toNested()).toEqual([0, 0])
      expect(decay(1, cs).toNested()).toEqual([Infinity, Infinity])
      expect(decay(0, cs).toNested()).toEqual([Number.NaN, 1])
    }
  })

  it('mixed dtypes and integers are TypeErrors', () => {
    const cs = ones([1], { dtype: 'bfloat16' })
    expect(() => stableDecay(tensor(-1) as never, cs)).toThrow(
      new TypeError('stableDecay: dtypes differ, cast one of them [float32 and bfloat16]'),
    )
    expect(() => naiveDecay(-1, cast(cs, 'int32'))).toThrow(
      new TypeError('naiveDecay: needs a floating-point dtype, cast first [int32]'),
    )
  })

  it('float64 stays float64 inside', () => {
    expect(stableDecay(-1, tensor([0.1], { dtype: 'float64' })).item()).toBe(Math.exp(-0.1))
    expect(stableDecay(-1, fromBits([0], { dtype: 'float16' })).item()).toBe(1)
  })
})
