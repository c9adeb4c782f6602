import { div, exp, max, maximum, mul, relu, square, sub, sum, type Tensor, tensor } from 'tpu-toolkit'
import { grad } from 'tpu-toolkit/autodiff'
import { certify, shadow } from 'tpu-toolkit/precision'
import { describe, expect, it } from 'vitest'

const bf16 = (values: number[]): Tensor => tensor(values, { dtype: 'bfloat16' })

/** Two logits that are one number after they were rounded, and two in exact arithmetic. */
const logits = bf16([1.984375, 1.9921875, -1])
const scaled = (x: Tensor): Tensor => mul(x, 0.51)

/** As one writes it by hand: the maximum is no constant of the gradient. */
function softmax(x: Tensor): Tensor {
  const e = exp(sub(x, max(x, { keepDims: true })))
  return div(e, sum(e, { keepDims: true }))
}

const weights = bf16([1, 3, 2])
const gradient = (x: Tensor): Tensor => grad((v: Tensor) => sum(mul(softmax(v), weights)))(scaled(x))
/** Here the choice matters: the maximum's gradient is not nothing. */
const shared = (x: Tensor): Tensor => grad((v: Tensor) => square(max(v)))(scaled(x))

describe('a tie of one run alone', () => {
  it('shadow attributes the gradient of a softmax, which does not depend on who is the maximum', () => {
    const run = shadow(gradient, logits, { reference: 'real' })
    expect(run.divergences.length).toBeGreaterThan(0)
    expect(run.outputs()[0]!.unattributed).toBe(0)
    expect(String(run)).toContain('no output depends on that')
    // The float64 of a run by its own decisions says the same.
    const exact = run.errors(run.program.steps.length - 1).reference
    const v = logits.toNumbers().map((x) => x * 0.51)
    const e = v.map((x) => Math.exp(x - Math.max(...v)))
    const p = e.map((x) => x / e.reduce((a, b) => a + b))
    const mean = p.reduce((total, q, i) => total + q * [1, 3, 2][i]!, 0)
    for (const [i, q] of p.entries()) expect(exact[i]).toBeCloseTo(q * ([1, 3, 2][i]! - mean), 14)
  })

  it('shadow says which tie it is where the result depends on it', () => {
    const run = shadow(shared, logits)
    expect(run.outputs()[0]!.unattributed).toBe(2)
    const { tie } = run.divergences.find(({ tie }) => tie)!
    expect(tie).toMatchObject({ elements: [0, 1], computed: [1.015625, 1.015625] })
    expect(tie!.reference).toEqual([1.984375 * 0.51, 1.9921875 * 0.51])
    expect(run.program.steps[tie!.step]!.op.name).toBe('max')
    expect(String(run)).toMatch(
      /a tie of one run alone: \d+ max bfloat16 \[\] at ties\.test\.ts:\d+:\d+, elements 0, 1: 1\.015625, 1\.015625, in the reference 1\.012/,
    )
    expect(String(run)).not.toContain('no output depends')
  })

  it('certify bounds both, and says what the errors leave open', () => {
    for (const [f, most] of [
      [gradient, 0.3],
      [shared, 3],
    ] as const) {
      const { results, bounds, open, program } = certify(f, logits)
      const v = Array.from(logits.toNumbers(), (x) => x * 0.51)
      const exact = f === shared ? [0, 2 * v[1]!, 0] : exactGradient(v)
      for (const [i, bound] of bounds[0]!.toNumbers().entries()) {
        expect(Math.abs(results[0]!.toNumbers()[i]! - exact[i]!)).toBeLessThanOrEqual(bound + 2 ** -50)
        expect(bound).toBeLessThan(most)
      }
      const [tie] = open
      expect(tie).toMatchObject({ op: 'max', count: 2, elements: [0, 1], values: [[1.015625], [1.015625]] })
      expect(tie!.site).toMatch(/^ties\.test\.ts:\d+:\d+$/)
      expect(program.steps[tie!.step]!.op.name).toBe('max')
    }
    expect(certify(gradient, bf16([1, 3, 2])).open).toEqual([])
  })

  it('certify is certain of a maximum that no error reaches', () => {
    const { bounds, open } = certify(shared, bf16([1, 1.5, -1]))
    expect(open).toEqual([])
    expect(bounds[0]!.toNumbers()[0]).toBe(0)
    expect(bounds[0]!.toNumbers()[1]).toBeLessThan(0.02)
  })

  it('certify bounds the gradient of a maximum of two, and of relu at its kink', () => {
    const two = (x: Tensor): Tensor => grad((v: Tensor) => sum(maximum(v, scaled(v))))(mul(sub(x, x), 0.3))
    expect(
      certify(two, logits)
        .bounds[0]!.toNumbers()
        .every((bound) => bound <= 2),
    ).toBe(true)
    const kink = (x: Tensor): Tensor => grad((v: Tensor) => sum(relu(v)))(sub(scaled(x), scaled(x)))
    expect(
      certify(kink, logits)
        .bounds[0]!.toNumbers()
        .every((bound) => bound <= 1.01),
    ).toBe(true)
  })
})

function exactGradient(v: readonly number[]): number[] {
  const e = v.map((x) => Math.exp(x - Math.max(...v)))
  const p = e.map((x) => x / e.reduce((a, b) => a + b))
  const mean = p.reduce((total, q, i) => total + q * [1, 3, 2][i]!, 0)
  return p.map((q, i) => q * ([1, 3, 2][i]! - mean))
}
