import { arange, cast, cos, full, mul, sum, type Tensor, tensor } from 'tpu-toolkit'
import { grad } from 'tpu-toolkit/autodiff'
import { certify, shadow, tune, withPolicy } from 'tpu-toolkit/precision'
import { describe, expect, it } from 'vitest'

const bf16 = (x: number | number[]): Tensor => tensor(x, { dtype: 'bfloat16' })

describe('certify, constants', () => {
  it('bounds what is computed from tensors that the function closes over, and rounded numbers', () => {
    const position = cast(arange(0, 600), 'bfloat16')
    const frequency = bf16(0.1)
    const rotate = (x: Tensor): Tensor => mul(cos(mul(position, frequency)), x)
    const { results, bounds, program } = certify(rotate, bf16(1))
    expect(program.steps.map(({ op }) => op.name)).toEqual(['mul', 'cos', 'mul'])
    let worst = 0
    for (const [i, p] of position.toNumbers().entries()) {
      const error = Math.abs(results[0]!.toNumbers()[i]! - Math.cos(p * frequency.item()))
      expect(error).toBeLessThanOrEqual(bounds[0]!.toNumbers()[i]! + 2 ** -48)
      worst = Math.max(worst, error)
    }
    expect(worst).toBeGreaterThan(0.1)
    // 0.999 is 1 in bfloat16.
    const kept = certify((s) => mul(s, 0.999), bf16(4))
    expect(kept.results[0]!.item()).toBe(4)
    expect(kept.bounds[0]!.item()).toBeGreaterThanOrEqual(4 * 0.001)
    expect(kept.bounds[0]!.item()).toBeLessThan(4 * 0.0011)
  })

  it('bounds constants inside a gradient', () => {
    const turn = cast(tensor([0.3, 40.2]), 'bfloat16')
    const f = (x: Tensor): Tensor => grad((v: Tensor) => sum(mul(v, cos(mul(turn, 3.1)))))(x)
    const { results, bounds } = certify(f, bf16([1, 2]))
    for (const [i, t] of turn.toNumbers().entries()) {
      const exact = Math.cos(t * 3.1)
      expect(Math.abs(results[0]!.toNumbers()[i]! - exact)).toBeGreaterThan(2 ** -12)
      expect(Math.abs(results[0]!.toNumbers()[i]! - exact)).toBeLessThanOrEqual(
        bounds[0]!.toNumbers()[i]! + 2 ** -48,
      )
    }
  })

  it('bounds what tensor, full and arange rounded inside the function', () => {
    // 257 ... 299 are no bfloat16 numbers, nor are 0.1 and 0.7.
    const rotate = (x: Tensor): Tensor => {
      const position = arange(0, 300, { dtype: 'bfloat16' })
      const scale = full([300], 0.7, { dtype: 'bfloat16' })
      return mul(mul(cos(mul(position, bf16(0.1))), scale), x)
    }
    const { results, bounds, program } = certify(rotate, bf16(1))
    expect(program.steps.filter(({ op }) => op.name === 'constant').length).toBe(3)
    let worst = 0
    for (const [i, bound] of bounds[0]!.toNumbers().entries()) {
      const error = Math.abs(results[0]!.toNumbers()[i]! - Math.cos(i * 0.1) * 0.7)
      expect(error).toBeLessThanOrEqual(bound + 2 ** -48)
      worst = Math.max(worst, error)
    }
    expect(worst).toBeGreaterThan(0.04)
    // What the dtype holds is no step.
    const kept = (x: Tensor): Tensor => mul(bf16([1, 0.5]), mul(x, full([2], 3, { dtype: 'bfloat16' })))
    expect(certify(kept, bf16(1)).program.steps.map(({ op }) => op.name)).toEqual(['mul', 'mul'])
  })
})

describe('shadow, constants that rounding changed', () => {
  const decays = (x: Tensor): Tensor => {
    const rates = tensor([0.999, 0.5, 0.9], { dtype: 'bfloat16' })
    let y = x
    for (let i = 0; i < 20; i++) y = mul(y, rates)
    return y
  }

  it('names one of many numbers with its size and share', () => {
    const run = shadow(decays, bf16([1, 2, 1]))
    const [most] = run.groups()
    expect(most!.name).toBe(
      'constant 2 of 3 numbers, the worst 0.9, which is 0.8984375 in bfloat16 (0.17 % off)',
    )
    expect(most!.site).toMatch(/^constants\.test\.ts:\d+:\d+$/)
    expect(most!.share).toBeGreaterThan(0.5)
    const { computed, reference } = run.errors(0)
    expect([...computed]).toEqual([1, 0.5, 0.8984375])
    expect([...reference]).toEqual([0.999, 0.5, 0.9])
  })

  it('tune keeps it wide beside the operation that reads it, and withPolicy does', () => {
    const tuning = tune(decays, bf16([1, 2, 1]), { target: { maxRelative: 0.01 }, groupBy: 'name' })
    expect(tuning).toMatchObject({ met: true, wide: ['mul'] })
    const got = withPolicy(decays, tuning.policy)(bf16([1, 2, 1])).toNumbers()
    expect(Math.abs(got[0]! / 0.999 ** 20 - 1)).toBeLessThan(2 ** -8)
    expect(Math.abs(got[2]! / 0.9 ** 20 - 1)).toBeLessThan(2 ** -8)
  })

  it('says it is the same code in float64, where the constants are not rounded', () => {
    const f = (x: Tensor): Tensor => mul(x, cast(tensor([0.1, 0.2]), x.dtype))
    expect(shadow(f, tensor([1, 2])).branch).toBeUndefined()
  })
})
