import { checkText } from '../../base/options/index.js'
import type { Callback } from './callback.js'

/**
 * A callback that ends a run behind the first step whose metric is NaN or infinite.
 *
 * @example stopAtNonFinite().onStep({ metrics: { loss: NaN } }) // 'stop'
 */
export function stopAtNonFinite(metric: string = 'loss'): Callback {
  checkText('stopAtNonFinite', 'metric', metric)
  return {
    name: `stopAtNonFinite ${metric}`,
    onStep: ({ metrics }) => (Number.isFinite(metrics[metric] ?? 0) ? undefined : 'stop'),
  }
}
