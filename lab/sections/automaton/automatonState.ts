import { numberFrom, oneOf, sectionState, text } from '../../shell/urlState.js'
import { mostSteps } from './readWounds.js'

/** What the updates of the flower may be multiplied by. */
export const scales = ['1', '1/8', '1/32'] as const

/** What the section shows: a growth at a step, with its wounds, and how small the updates of random automata are. */
export const state = sectionState('automaton', {
  seed: numberFrom(0, 1e6, 1, 1),
  scale: oneOf(scales, '1'),
  step: numberFrom(0, mostSteps, 64, 1),
  wounds: text('', 1000),
  radius: numberFrom(0.1, 1, 0.35),
  power: numberFrom(-4, -1.5, -3.5),
  steps: numberFrom(16, 128, 96, 1),
})
