import { encode, round } from 'tpu-toolkit/formats'
import { logAddExp } from 'tpu-toolkit/numerics'
import { seeded } from 'tpu-toolkit/random'
import { apply, fromBits, logAddExpOp, tensor, withTrace } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const q = (value: number): number => round(value, 'bfloat16')
const allCodes = fromBits(
  Uint16Array.from({ length: 65_536 }, (_, code) => code),
  { dtype: 'bfloat16' },
)

describe('logAddExp', () => {
  it('logAddExp(z, 0) is softplus op by op, for all 65,536 codes of bfloat16', () => {
    const expected = Uint16Array.from(allCodes.toNumbers(), (z) => {
      // The rounding points of jax.nn.softplus: exp, log1p, and the sum.
      const value = q(Math.max(z, 0) + q(Math.log1p(q(Math.exp(-Math.abs(z))))))
      return encode(Number.isNaN(z) ? Number.NaN : value, 'bfloat16')
    })
    expect(logAddExp(allCodes, 0).toBits()).toEqual(expected)
  })

  it('internal float32 is within half an ulp of the exact value plus the roundings inside', () => {
    const stable = logAddExp(allCodes, 0, { internal: 'float32' }).toNumbers()
    allCodes.toNumbers().forEach((z, i) => {
      const exact = Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z)))
      if (!Number.isFinite(exact)) expect(stable[i]).toBe(exact)
      else expect(Math.abs(stable[i]! - exact)).toBeLessThanOrEqual(exact * (2 ** -8 + 2 ** -20) + 2 ** -134)
    })
  })

  it(`the error is at most u |r| + 2.1 u, u = 2^-8 (seed ${seed})`, () => {
    const random = seeded(`logAddExp ${seed}`)
    const drawn = () =>
      tensor(
        Float64Array.from({ length: 5000 }, () => (random() - 0.5) * 40),
        { dtype: 'bfloat16' },
      )
    const [a, b] = [drawn(), drawn()]
    const [x, y] = [a.toNumbers(), b.toNumbers()]
    let worst = 0
    logAddExp(a, b)
      .toNumbers()
      .forEach((r, i) => {
        const exact = Math.max(x[i]!, y[i]!) + Math.log1p(Math.exp(-Math.abs(x[i]! - y[i]!)))
        worst = Math.max(worst, Math.abs(r - exact) / (2 ** -8 * (Math.abs(r) + 2.1)))
      })
    expect(worst).toBeLessThanOrEqual(1)
    expect(worst).toBeGreaterThan(0.5)
  })

  it('infinities and NaN are what they are', () => {
    const of = (a: number, b: number) => logAddExp(tensor([a]), b).item()
    expect(of(-Infinity, -Infinity)).toBe(-Infinity)
    expect(of(Infinity, Infinity)).toBe(Infinity)
    expect(of(Infinity, -Infinity)).toBe(Infinity)
    expect(of(-Infinity, 3)).toBe(3)
    expect(of(Number.NaN, 3)).toBe(Number.NaN)
    expect(of(3, Number.NaN)).toBe(Number.NaN)
    expect(of(1e38, 1e38)).toBe(Math.fround(1e38))
  })

  it('broadcasts, commutes, and takes two tensors or a number', () => {
    const a = tensor([[0], [5]], { dtype: 'bfloat16' })
    const b = tensor([1, 2, 3], { dtype: 'bfloat16' })
    expect(logAddExp(a, b).shape).toEqual([2, 3])
    expect(logAddExp(a, b).toBits()).toEqual(logAddExp(b, a).toBits())
  })

  it('is one operation in a trace', () => {
    const leaf = withTrace(tensor([1]), logAddExpOp, [], undefined)
    const y = logAddExp(leaf, 0)
    expect(y.trace?.op).toBe(logAddExpOp)
    expect(y.trace?.inputs[0]).toBe(leaf)
    expect(apply(logAddExpOp, [tensor([1]), tensor([0])], undefined).toBits()).toEqual(y.toBits())
  })

  it('mixed dtypes and integers are refused', () => {
    expect(() => logAddExp(tensor([1]), tensor([1], { dtype: 'bfloat16' }) as never)).toThrow(
      new TypeError('logAddExp: dtypes differ, cast one of them [float32 and bfloat16]'),
    )
    expect(() => logAddExp(tensor([1], { dtype: 'int32' }), 1)).toThrow(
      new TypeError('logAddExp: needs a floating-point dtype, cast first [int32]'),
    )
  })
})
