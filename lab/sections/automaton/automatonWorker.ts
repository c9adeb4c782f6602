import { answerPage } from '../../parts/workerScope.js'
import type { AutomatonAsked, AutomatonTold, GrowAnswer } from './automatonMessages.js'
import { growths } from './growthOf.js'
import { standStill } from './standStill.js'

/** Milliseconds between two messages: what comes faster than frames is not seen. */
const pause = 40
const grow = growths()

answerPage<AutomatonAsked, AutomatonTold>((asked, tell) => {
  if (asked.kind === 'stand') {
    tell({ answer: standStill(asked) })
    return
  }
  // The first picture at once: what the steps need is only made then.
  let told = -Infinity
  let last: GrowAnswer | undefined
  for (const at of grow(asked)) {
    last = at
    if (at.step === asked.to || performance.now() - told < pause) continue
    told = performance.now()
    tell({ part: at })
  }
  if (last) tell({ answer: last })
})
