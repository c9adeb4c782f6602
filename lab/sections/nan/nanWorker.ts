import { runStep2750, type Step2750Record } from 'tpu-toolkit/step2750'
import { answerPage } from '../../parts/workerScope.js'
import { hashOf } from './lossHash.js'
import type { NanAsked, NanTold } from './nanMessages.js'

/** Milliseconds between two messages: what comes faster than frames is not seen. */
const pause = 40

answerPage<NanAsked, NanTold>(({ options }, tell) => {
  const began = performance.now()
  const every = Math.max(1, Math.round((options.steps ?? 5000) / 1000))
  let told = began
  let points = empty()
  let last = 0
  const { stepsRun, firstNonFiniteStep, records, explanation, loss } = runStep2750(options, {
    onStep: (step, record) => {
      if (step % every !== 0 && step > 20) return
      put(points, record())
      last = step
      const now = performance.now()
      if (now - told < pause) return
      tell({ points })
      told = now
      points = empty()
    },
  })
  // The end itself, where something happens, whole.
  for (const record of records.slice(-11)) if (record.step > last) put(points, record)
  tell({ points })
  const { text, event, clocks } = explanation
  tell({
    end: {
      ...{ stepsRun, firstNonFiniteStep, records, text, clocks },
      event: event === null ? null : { op: event.op, kind: event.kind },
      hash: hashOf(loss),
      milliseconds: performance.now() - began,
    },
  })
})

type Points = Record<'steps' | 'loss' | 'csEnd' | 'span', number[]>

function put(points: Points, { step, loss, csEnd, span }: Step2750Record): void {
  points.steps.push(step)
  points.loss.push(loss ?? Number.NaN)
  points.csEnd.push(csEnd ?? Number.NaN)
  points.span.push(span ?? Number.NaN)
}

function empty(): Points {
  return { steps: [], loss: [], csEnd: [], span: [] }
}
