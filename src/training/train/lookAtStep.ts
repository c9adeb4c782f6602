import type { Treelike } from '../../tensors/tree/index.js'
import { healthOf } from '../monitor/index.js'

/** What a step went down by. */
interface Looked {
  readonly grads: Treelike
  /** What was to be added; not known where parameters are kept in more bits beside. */
  readonly updates?: Treelike
  /** What the gradients are multiples of. Default 1. */
  readonly scale?: number
}

/** How the gradients and updates of a step were, as its metrics. What is not finite is the monitor's to count. */
export function lookAtStep(
  before: Treelike,
  params: Treelike,
  { grads, updates, scale = 1 }: Looked,
): Readonly<Record<string, number>> {
  const { gradNorm, gradUnderflow, updatesLost } = healthOf({
    ...{ params, before, grads },
    ...(updates ? { updates } : {}),
  })
  return {
    gradNorm: (gradNorm ?? 0) / scale,
    gradUnderflow: gradUnderflow ?? 0,
    ...(updatesLost === undefined ? {} : { updatesLost }),
  }
}
