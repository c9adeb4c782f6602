import fc from 'fast-check'
import { exactSum } from 'tpu-toolkit/numerics'
import { cast, mul, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { bfloat16 } from '../support/reductionKeys.js'
import { seed } from '../support/seed.js'

const view = new DataView(new ArrayBuffer(8))

/** A finite float64 as an integer times 2^-1074, read off its bits. */
function units(value: number): bigint {
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const exponent = (bits >> 52n) & 2047n
  const mantissa = bits & (2n ** 52n - 1n)
  const magnitude = exponent === 0n ? mantissa : (mantissa + 2n ** 52n) << (exponent - 1n)
  return bits >> 63n ? -magnitude : magnitude
}

/** Whether no float64 is nearer to the exact sum than `result`, and a tie went to the even one. */
function isNearest(result: number, exact: bigint): boolean {
  const distance = (value: number): bigint => {
    const d = units(value) - exact
    return d < 0n ? -d : d
  }
  view.setFloat64(0, Math.abs(result))
  const bits = view.getBigUint64(0)
  const sign = result < 0 ? -1 : 1
  return [bits + 1n, bits - 1n].every((neighbour) => {
    if (neighbour < 0n || neighbour >= 0x7ff0000000000000n) return true
    view.setBigUint64(0, neighbour)
    const other = sign * view.getFloat64(0)
    const here = distance(result)
    const there = distance(other)
    return here < there || (here === there && bits % 2n === 0n)
  })
}

describe(`exactSum (seed ${seed})`, () => {
  const columns = new Columns('formats/dot_bfloat16')
  const cases = columns.facts['cases'] as { n: number; offset: number }[]

  it.each(['sum_exact_f64', 'dot_exact_f64'])('exactSum gives %s of the key, bit for bit', (column) => {
    const found = cases.map(({ n, offset }) => {
      const [a, b] = (['a', 'b'] as const).map((name) =>
        cast(bfloat16(columns.u16(name).slice(offset, offset + n)), 'float64'),
      )
      return exactSum(column === 'sum_exact_f64' ? a! : mul(a!, b!))
    })
    const bits = new BigUint64Array(Float64Array.from(found).buffer)
    expect([...bits]).toEqual([...columns.u64(column)])
  })

  it('exactSum is the nearest float64 to the sum of any float64 values', () => {
    const value = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e-300, max: 1e-300 }),
      fc.constantFrom(1, -1, 2 ** 53, 2 ** -53, 2 ** -1074, -(2 ** -1074)),
    )
    fc.assert(
      fc.property(fc.array(value, { maxLength: 40 }), fc.boolean(), (half, cancels) => {
        const list = cancels ? [...half, ...half.slice(1).map((v) => -v)] : half
        const exact = list.reduce((s, v) => s + units(v), 0n)
        const result = exactSum(list)
        const limit = units(Number.MAX_VALUE)
        if (exact <= limit && exact >= -limit) expect(isNearest(result, exact)).toBe(true)
      }),
      { seed, numRuns: 2000 },
    )
  })

  it('ties go to the even neighbour, a bit beyond the tie upwards', () => {
    expect(exactSum([1, 2 ** -53])).toBe(1)
    expect(exactSum([1 + 2 ** -52, 2 ** -53])).toBe(1 + 2 ** -51)
    expect(exactSum([1, 2 ** -53, 2 ** -1074])).toBe(1 + 2 ** -52)
    expect(exactSum([-1, -(2 ** -53), -(2 ** -1074)])).toBe(-1 - 2 ** -52)
  })

  it('no intermediate overflow, and a true one is Infinity', () => {
    expect(exactSum([1e308, 1e308, -1e308])).toBe(1e308)
    expect(exactSum([1.7e308, 1.7e308])).toBe(Infinity)
    expect(exactSum([-1.7e308, -1.7e308])).toBe(-Infinity)
  })

  it('specials: NaN, infinities, zeros, nothing', () => {
    expect(exactSum([1, Number.NaN])).toBe(Number.NaN)
    expect(exactSum([Infinity, -Infinity])).toBe(Number.NaN)
    expect(exactSum([Infinity, 1])).toBe(Infinity)
    expect(exactSum([-Infinity, 1])).toBe(-Infinity)
    expect(exactSum([-0, -0])).toBe(0)
    expect(exactSum([])).toBe(0)
  })

  it('more than 2^20 elements still add up exactly', () => {
    const n = 2 ** 21 + 3
    // n - n 2^-53 lies a little below the midpoint of n and the float64 before it.
    expect(exactSum(new Float64Array(n).fill(1 - 2 ** -53))).toBe(n - 2 ** -31)
    expect(exactSum(tensor([0.5, 0.25], { dtype: 'bfloat16' }))).toBe(0.75)
  })
})
