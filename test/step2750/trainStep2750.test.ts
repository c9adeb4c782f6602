import { runStep2750 } from 'tpu-toolkit/step2750'
import { describe, expect, it } from 'vitest'
import { isLong } from '../support/long.js'
import {
  dataSums,
  keyData,
  lossSum,
  recordKeys,
  runKey,
  shortSteps,
  stepByRate,
  variants,
} from '../support/step2750Keys.js'
import { bitsOfRecord } from './bitsOfRecord.js'

// Runs of an independent program: scripts/golden/ssm.py. The other variants run to their ends in test/exhaustive.
const whole = isLong ? ['naive', 'naive_clip_then_zero_nans'] : ['naive']

describe('the data of the keys', () => {
  it.each(['gap', 'uniform'] as const)(
    '%s: y follows from x by the recurrence of the teacher',
    (experiment) => {
      const { key, own } = dataSums(experiment)
      expect(own).toBe(key)
    },
  )
})

describe('runStep2750 against an independent program, bit for bit', () => {
  const data = { gap: keyData('gap'), uniform: keyData('uniform') }

  it.each(Object.keys(variants))(
    `%s: the loss of steps 1 ... ${shortSteps}, and every record among them`,
    (variant) => {
      const options = variants[variant]!
      const uniform = options.experiment === 'uniform'
      const result = runStep2750(
        { ...options, steps: shortSteps },
        { data: uniform ? data.uniform : data.gap },
      )
      expect(lossSum(result.loss)).toBe(runKey(variant).short_loss_sha256)
      const records = new Map(result.records.map((record) => [record.step, record]))
      const keys = recordKeys(variant).filter(({ step }) => step <= shortSteps)
      expect(keys.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 100, 200, 300])
      for (const { step, bits } of keys) {
        expect({ step, ...bitsOfRecord(records.get(step)!) }).toEqual({ step, ...bits })
      }
    },
  )

  it.each(whole)('%s: the loss of every step, every record, the first step that is not finite', (variant) => {
    const key = runKey(variant)
    const result = runStep2750(variants[variant], { data: data.gap })
    expect(result.firstNonFiniteStep).toBe(key.first_nonfinite_step)
    expect(result.stepsRun).toBe(key.steps_run)
    expect(result.nonFiniteSteps).toBe(key.nonfinite_steps)
    const records = new Map(result.records.map((record) => [record.step, record]))
    for (const { step, bits } of recordKeys(variant)) {
      expect({ step, ...bitsOfRecord(records.get(step)!) }).toEqual({ step, ...bits })
    }
    expect(lossSum(result.loss)).toBe(key.loss_sha256)
  })

  it.each(stepByRate.filter(([lr]) => lr > 5e-4))('at lr %f the naive run fails at step %i', (lr, step) => {
    expect(runStep2750({ lr }, { data: data.gap }).firstNonFiniteStep).toBe(step)
  })
})
