import { answerPage } from '../../parts/workerScope.js'
import type { OptimizersAsked, OptimizersTold, StoredRun, WidthsRun } from './optimizersMessages.js'
import { storedRuns } from './storedRuns.js'
import { widthsRuns } from './widthsRuns.js'

answerPage<OptimizersAsked, OptimizersTold>((asked, tell) => {
  if (asked.kind === 'stored') {
    const runs: StoredRun[] = []
    for (const run of storedRuns(asked)) {
      runs.push(run)
      tell({ part: { asked, runs } })
    }
    tell({ answer: { asked, runs } })
  } else {
    const runs: WidthsRun[] = []
    for (const run of widthsRuns(asked)) {
      runs.push(run)
      tell({ part: { asked, runs } })
    }
    tell({ answer: { asked, runs } })
  }
})
