import { writeFileSync } from 'node:fs'
import { runStep2750, type Step2750Record } from 'tpu-toolkit/step2750'

// Writes the run that the lab shows before anything is computed, the experiment with every setting at its default: `npm run
// lab:record`, some five seconds.

/** Steps between two points of the curve, and steps at the end that are written whole. */
const every = 3
const whole = 40

let last: Step2750Record[] = []
const loss: number[] = []
const { firstNonFiniteStep, explanation } = runStep2750(
  {},
  {
    onStep: (step, recordOf) => {
      const record = recordOf()
      last = [...last.slice(1 - whole), record]
      if (step % every === 0) loss.push(record.loss ?? Number.NaN)
    },
  },
)
const run = {
  ...{ every, firstNonFiniteStep },
  /** The float32 numbers of every third loss, in base64. */
  losses: Buffer.from(Float32Array.from(loss).buffer).toString('base64'),
  last: last.map((record) => {
    const { step, lossBits, dt, csEnd, A, span } = record
    return { step, loss: record.loss, lossBits, dt, csEnd, A, span }
  }),
  text: explanation.text,
}
writeFileSync('lab/sections/nan/recorded/run.json', `${JSON.stringify(run, null, 2)}\n`)
console.log(`recordRun: ${loss.length} points, NaN at step ${firstNonFiniteStep}`)
