import { answerPage } from '../../parts/workerScope.js'
import {
  type DriftAsked,
  type DriftOrder,
  type DriftTold,
  driftDTypes,
  driftOrders,
} from './driftMessages.js'
import { driftOf } from './driftOf.js'

answerPage<DriftAsked, DriftTold>((asked, tell) => {
  const began = performance.now()
  const answer = driftOf(asked)
  tell({ answer: { ...answer, milliseconds: performance.now() - began } })
})

// The first sum of an order and a dtype makes tables: better now than under the reader's hand.
setTimeout(() => {
  const values = Float64Array.from({ length: 64 }, (_, i) => 1 / (i + 1))
  for (const dtype of driftDTypes) {
    for (const order of Object.keys(driftOrders) as DriftOrder[]) {
      driftOf({ id: 0, values, dtype, order, accumulate: dtype })
    }
  }
}, 0)
