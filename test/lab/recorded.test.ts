import { runStep2750 } from 'tpu-toolkit/step2750'
import { describe, expect, it } from 'vitest'
import { recordedRun } from '../../lab/sections/nan/recorded/recordedRun.js'
import { sumAt } from '../../lab/sections/nan/recorded/sumAt.js'
import { isLong } from '../support/long.js'

describe('the run that the lab has recorded', () => {
  const { steps, losses, last, end } = recordedRun

  it('has the losses of the experiment', () => {
    const length = isLong ? end : 80
    const { loss } = runStep2750({ steps: length })
    const known = steps.filter((step) => step < length)
    expect(known.length).toBeGreaterThan(20)
    expect(losses.slice(0, known.length)).toEqual(known.map((step) => loss[step - 1]))
  })

  it('has the running sums that adding in bfloat16 gives, and lost additions as the explanation counts them', () => {
    for (const { dt, csEnd, A, span, step } of last) {
      const { rounded, lost } = sumAt(last[0]!.csEnd, dt)
      expect(rounded.at(-1)).toBe(csEnd)
      expect(Math.abs(A) * (csEnd - rounded[0]!)).toBe(span)
      if (step >= end - 1) {
        expect(recordedRun.text).toContain(`Step ${step}: ${lost} of 127 additions change nothing`)
      }
    }
    expect([last.at(-1)?.step, last.at(-1)?.loss]).toEqual([end, null])
  })
})
