import { cacheBytes } from '../model/index.js'
import { bestRates } from './bestRates.js'
import { flopsOf, overAnswer, promptFlops, type ServingWork, weightBytes } from './servingWork.js'

/**
 * Tokens a second that no schedule exceeds: every FLOP of prompts and answers at the best rate that any source gives, or every
 * cache read once and the weights once for each step, in which no request gets more than its tokens; the slower of the two.
 */
export function servingBound(work: ServingWork, tokens: number = 1, drafted: number = 0): number {
  const { config, made, batch, input, output, dtype, cacheDtype } = work
  const rates = bestRates(made.chip, dtype)
  const [peak, hbm] = [rates.flopsPerSecond * made.chips, rates.hbmBytesPerSecond * made.chips]
  const steps = output / tokens
  const perToken = overAnswer(work, (context) => flopsOf(config, 1, context))
  const compute = batch * (promptFlops(config, input, input) + steps * (drafted + 1) * perToken)
  const cache = overAnswer(work, (sequence) => cacheBytes(config, { sequence, dtype: cacheDtype }))
  const bytes = steps * (weightBytes(work, 'fewest') + batch * cache)
  return (batch * output) / Math.max(compute / peak, bytes / hbm)
}
