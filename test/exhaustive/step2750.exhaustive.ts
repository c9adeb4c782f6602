import { runStep2750 } from 'tpu-toolkit/step2750'
import { describe, expect, it } from 'vitest'
import { bitsOfRecord } from '../step2750/bitsOfRecord.js'
import { keyData, lossSum, recordKeys, runKey, stepByRate, variants } from '../support/step2750Keys.js'

// About a millisecond a step: two minutes in all, most of it for the sequences of 384 positions.
describe('runStep2750 against an independent program, to the end of every run', () => {
  const data = { gap: keyData('gap'), uniform: keyData('uniform') }

  it.each(Object.keys(variants))('%s: the loss of every step and every record, bit for bit', (variant) => {
    const options = variants[variant]!
    const key = runKey(variant)
    const result = runStep2750(options, { data: options.experiment === 'uniform' ? data.uniform : data.gap })
    expect(result.firstNonFiniteStep).toBe(key.first_nonfinite_step)
    expect(result.stepsRun).toBe(key.steps_run)
    expect(result.nonFiniteSteps).toBe(key.nonfinite_steps)
    expect(lossSum(result.loss)).toBe(key.loss_sha256)
    const records = new Map(result.records.map((record) => [record.step, record]))
    for (const { step, bits } of recordKeys(variant)) {
      expect({ step, ...bitsOfRecord(records.get(step)!) }).toEqual({ step, ...bits })
    }
  })

  it.each(stepByRate)('at lr %f the naive run fails at step %i', (lr, step) => {
    expect(runStep2750({ lr, steps: 8000 }, { data: data.gap }).firstNonFiniteStep).toBe(step)
  })
})
