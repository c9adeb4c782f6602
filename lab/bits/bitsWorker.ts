import { answerPage } from '../parts/workerScope.js'
import { digestsOf } from './digestsOf.js'

answerPage<null, { readonly digests: Readonly<Record<string, string>> }>((_, tell) =>
  tell({ digests: digestsOf() }),
)
