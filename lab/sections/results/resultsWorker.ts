import { runDrift } from 'tpu-toolkit/drift'
import { runStep2750 } from 'tpu-toolkit/step2750'
import { answerPage } from '../../parts/workerScope.js'
import { readText } from './readText.js'
import type { ResultsAsked, ResultsTold } from './resultsMessages.js'
import { viewOf } from './viewOf.js'

answerPage<ResultsAsked, ResultsTold>((asked, tell) => {
  tell({ answer: viewOf('file' in asked ? readText(asked.file) : sampleOf(asked.sample)) })
})

/** A report made here and now, with the fields that the command writes. */
function sampleOf(sample: 'drift' | 'nan'): string {
  if (sample === 'nan') {
    const { explanation, loss, ...run } = runStep2750({ lr: 2.75e-3, steps: 330 })
    return JSON.stringify({ ...run, loss: [...loss], explanation: explanation.text })
  }
  const { ops, inputs, dtype, seed } = runDrift({ ops: ['cumsum'], lengths: [64, 256, 1024] })
  const rows = ops.flatMap((one) => one.rows)
  return JSON.stringify({ benchmark: 'drift', dtype, seed, inputs, rows })
}
