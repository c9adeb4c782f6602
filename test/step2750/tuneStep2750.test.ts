import type { Tensor } from 'tpu-toolkit'
import { shadow } from 'tpu-toolkit/precision'
import {
  drawData,
  lastFiniteInputs,
  step2750Loss,
  step2750Options,
  trainStep2750,
  tuneStep2750,
} from 'tpu-toolkit/step2750'
import { describe, expect, it } from 'vitest'

describe('tuneStep2750', () => {
  it('finds, without being told, that the running sum must be wide to stop the NaN', () => {
    const tuning = tuneStep2750({ lr: 2e-2, steps: 60 }, { goal: 'finite' })
    expect(tuning).toMatchObject({ met: true, wide: ['cumsum#0'], least: true, value: 60 })
    expect(tuning.narrowest).toBeLessThan(60)
  })

  it('says what it cannot take', () => {
    expect(() => tuneStep2750({}, { goal: 'speed' as never })).toThrow(
      'tuneStep2750: unknown goal, there are finite, loss [speed]',
    )
    expect(() => tuneStep2750({}, { goal: 'loss', factor: 0.5 })).toThrow(
      'tuneStep2750: factor is not a finite number, 1 or more [0.5]',
    )
    expect(() => tuneStep2750({}, { goal: 'loss', tail: 0 })).toThrow(
      'tuneStep2750: tail is not a whole number, 1 or more [0]',
    )
    expect(() => tuneStep2750({ dtype: 'float32' }, { goal: 'finite' })).toThrow(
      'tuneStep2750: nothing to tune in a float32 run [float32]',
    )
  })
})

describe('lastFiniteInputs', () => {
  it('is where the loss is finite for the last time, with additions that are lost', () => {
    const run = step2750Options({ lr: 2e-2, steps: 60 })
    const data = drawData(run)
    const inputs = lastFiniteInputs(data, run)
    const loss = step2750Loss(run)(inputs)
    const losses = Array.from(trainStep2750(data, run), ({ facts }) => facts.loss)
    const finite = losses.filter((x: Tensor) => Number.isFinite(x.item()))
    expect(finite.length).toBe(losses.length - 1)
    expect(loss.toBits()).toEqual(finite.at(-1)!.toBits())
    const { events, program } = shadow(step2750Loss(run), inputs, { check: false, sites: false })
    const absorbed = events.filter(({ kind }) => kind === 'absorb')
    expect(absorbed.map(({ step }) => program.steps[step]!.op.name)).toEqual(['cumsum'])
  })
})
