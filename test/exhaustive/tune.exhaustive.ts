import { namedPolicies } from 'tpu-toolkit/precision'
import { tuneStep2750 } from 'tpu-toolkit/step2750'
import { describe, expect, it } from 'vitest'

// About a minute: every trial is a training run of 300 steps.
describe('tuneStep2750 over 300 steps', () => {
  it('finds that running sum and exponents must be wide for twice the loss of the float32 run', () => {
    const tuning = tuneStep2750({ lr: 2.75e-3, steps: 300 }, { goal: 'loss', policies: namedPolicies })
    // mul#1 is A cs, what the exponents are made of.
    expect(tuning).toMatchObject({ met: true, wide: ['cumsum#0', 'mul#1'] })
    const [sums, exponents] = tuning.without.map(({ value }) => value)
    expect(sums).toBeNaN()
    expect(exponents! / tuning.widest).toBeGreaterThan(50)
    expect(tuning.value / tuning.widest).toBeLessThan(2)
    const met = Object.fromEntries(
      tuning.policies.map((policy) => [policy.name, policy.met && policy.cost.count]),
    )
    expect(met).toEqual({
      'pytorch-autocast': 10,
      tensorflow: false,
      'apex-o1': 9,
      'matmul-narrow': 19,
      'cumsum-wide': false,
    })
  })

  it('finds that the running sum alone must be wide to stop the NaN', () => {
    const tuning = tuneStep2750({ lr: 2.75e-3, steps: 300 }, { goal: 'finite' })
    expect(tuning).toMatchObject({ met: true, wide: ['cumsum#0'], least: true, narrowest: 274 })
  })
})
