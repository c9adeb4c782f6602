import { mean, tensor } from 'tpu-toolkit'
import { variance } from 'tpu-toolkit/numerics'
import {
  mergeMoments,
  normalizeAdvantages,
  orthogonalOf,
  type RunningMoments,
  runningMoments,
} from 'tpu-toolkit/rl'
import { cast, type FloatDType, fromBits } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'

const keys = new Columns('rl/moments')
const misc = new Columns('rl/misc')
const number = (hex: string): number => new Float64Array(BigUint64Array.of(BigInt(`0x${hex}`)).buffer)[0]!
const doubles = (from: Columns, name: string) => new Float64Array(BigUint64Array.from(from.u64(name)).buffer)
const arithmetics = ['float64', 'bfloat16', 'bfloat16, float32 sums', 'float32'] as const
type Case = Readonly<Record<(typeof arithmetics)[number], readonly [string, string, string]>> & {
  readonly name: string
  readonly n: number
}
const cases = keys.facts['cases'] as readonly Case[]

describe('the moments of advantages', () => {
  it.each(cases.flatMap((run) => arithmetics.map((arithmetic) => ({ run, arithmetic, name: run.name }))))(
    '$name, $arithmetic: mean, two passes, one pass, bit for bit',
    ({ run, arithmetic }) => {
      const dtype: FloatDType = arithmetic.startsWith('bfloat16') ? 'bfloat16' : (arithmetic as FloatDType)
      const x = cast(fromBits(keys.u16(`${run.name}_x`), { shape: [run.n], dtype: 'bfloat16' }), dtype)
      const how = { accumulate: arithmetic === 'bfloat16, float32 sums' ? 'float32' : dtype } as const
      const found = [mean(x, how), variance(x, how), variance(x, { ...how, method: 'one-pass' })].map((v) =>
        v.item(),
      )
      const expected = run[arithmetic].map(number)
      if (dtype !== 'float64') expect(found).toEqual(expected)
      // Float64 sums in another order.
      for (const [i, value] of found.entries()) {
        expect(Math.abs(value - expected[i]!)).toBeLessThanOrEqual(1e-12)
      }
    },
  )

  it.each(['centred', 'shifted', 'far', 'many'])(
    '%s: normalizeAdvantages is within 1e-12 of the key',
    (name) => {
      const bits = keys.u16(`${name}_x`)
      const x = cast(fromBits(bits, { shape: [bits.length], dtype: 'bfloat16' }), 'float64')
      for (const [by, column] of [
        ['n-1', 'n1'],
        ['n', 'n'],
      ] as const) {
        const expected = doubles(keys, `${name}_normalised_${column}`)
        const found = normalizeAdvantages(x, { by }).toNumbers()
        expect(Math.max(...found.map((v, i) => Math.abs(v - expected[i]!)))).toBeLessThanOrEqual(1e-12)
      }
    },
  )

  it('normalizeAdvantages leaves one advantage, and makes 0 of equal ones', () => {
    expect(normalizeAdvantages(tensor([3])).item()).toBe(3)
    expect(normalizeAdvantages(tensor([3, 3, 3, 3])).toNumbers()).toEqual(new Float64Array(4))
  })
})

describe('runningMoments', () => {
  it('merges batches as Stable-Baselines3 does, 1e-12', () => {
    const rows = doubles(misc, 'running_rows')
    const [means, variances] = [doubles(misc, 'running_mean'), doubles(misc, 'running_variance')]
    const counts = misc.facts['runningCounts'] as readonly number[]
    let moments: RunningMoments = runningMoments(4)
    let from = 0
    for (const [i, n] of (misc.facts['runningBatches'] as readonly number[]).entries()) {
      moments = mergeMoments(moments, rows.subarray(4 * from, 4 * (from + n)))
      from += n
      expect(Math.abs(moments.count - counts[i]!)).toBeLessThanOrEqual(1e-12)
      for (let j = 0; j < 4; j++) {
        expect(Math.abs(moments.mean[j]! - means[4 * i + j]!)).toBeLessThanOrEqual(1e-12)
        expect(Math.abs(moments.variance[j]! - variances[4 * i + j]!)).toBeLessThanOrEqual(1e-12)
      }
    }
  })

  it('refuses what are not whole rows', () => {
    expect(() => mergeMoments(runningMoments(4), [1, 2, 3])).toThrow('not whole rows of 4 numbers [3]')
  })
})

describe('orthogonalOf', () => {
  const shapes = misc.facts['orthogonal'] as readonly {
    name: string
    shape: [number, number]
    gain: string
  }[]
  it.each(shapes)('$name: within 1e-14 of the key', ({ name, shape, gain }) => {
    const found = orthogonalOf(tensor(doubles(misc, `${name}_gaussian`), { shape, dtype: 'float64' }), {
      gain: number(gain),
    })
    const expected = doubles(misc, `${name}_weights`)
    expect(Math.max(...found.toNumbers().map((v, i) => Math.abs(v - expected[i]!)))).toBeLessThanOrEqual(
      1e-14,
    )
  })

  it('refuses dependent columns', () => {
    expect(() =>
      orthogonalOf(
        tensor([
          [1, 2],
          [2, 4],
        ]),
      ),
    ).toThrow('columns are dependent [1]')
  })
})
