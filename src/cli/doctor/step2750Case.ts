import {
  drawData,
  lastFiniteInputs,
  type Step2750Options,
  step2750Loss,
  step2750Options,
  tuneStep2750,
} from '../../experiments/step2750/index.js'
import { namedPolicies, shadow } from '../../precision/index.js'
import { mistakesAsBadInput } from '../io/badInput.js'
import type { DoctorCase } from './doctorCases.js'

/** The step-2750 experiment, shortened by a higher learning rate: lr x step of the NaN is constant. */
export function step2750Case({
  steps = 300,
  lr = 2.75e-3,
}: {
  readonly steps?: number | undefined
  readonly lr?: number | undefined
}): DoctorCase {
  const options: Step2750Options = { steps, lr }
  const run = mistakesAsBadInput('step2750', () => step2750Options(options))
  return {
    id: 'step2750',
    title: `the step-2750 experiment in ${steps} steps at learning rate ${lr}: its last finite step, and what to keep wide`,
    examine: (onTrial, [finite = [], loss = []] = []) => {
      const beside = shadow(step2750Loss(run), lastFiniteInputs(drawData(run), run))
      const how = { policies: namedPolicies, ...(onTrial && { onTrial }) }
      return {
        shadow: beside,
        findings: [
          {
            question: `no loss or gradient that is not finite in ${steps} steps`,
            tuning: tuneStep2750(options, { ...how, goal: 'finite', earlier: finite }),
          },
          {
            question: 'at most twice the loss of the same run in float32, median of the last 50 steps',
            tuning: tuneStep2750(options, { ...how, goal: 'loss', earlier: loss }),
          },
        ],
      }
    },
  }
}
