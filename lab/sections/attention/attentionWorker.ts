import { answerPage } from '../../parts/workerScope.js'
import type { AttentionAsked, AttentionTold, FormRun } from './attentionMessages.js'
import { errorsOf } from './errorsOf.js'
import { mapOf } from './mapOf.js'

answerPage<AttentionAsked, AttentionTold>((asked, tell) => {
  if (asked.kind === 'map') {
    tell({ answer: mapOf(asked) })
    return
  }
  const runs: FormRun[] = []
  for (const run of errorsOf(asked)) {
    runs.push(run)
    tell({ part: { asked, runs } })
  }
  tell({ answer: { asked, runs } })
})
