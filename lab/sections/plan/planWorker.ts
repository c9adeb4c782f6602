import { answerPage } from '../../parts/workerScope.js'
import type { PlanAsked, PlanTold } from './planMessages.js'
import { planOf } from './planOf.js'

answerPage<PlanAsked, PlanTold>((asked, tell) => tell({ answer: planOf(asked) }))
