import { arange, cast, cos, mul, sum, type Tensor, tensor } from 'tpu-toolkit'
import { grad } from 'tpu-toolkit/autodiff'
import { certify } from 'tpu-toolkit/precision'
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
})
