import type { GradientTransformation, State } from '../transformation.js'
import { type AdamOptimizerOptions, adam } from './adam.js'

/** Adam with Nesterov momentum. */
export function nadam(
  options: Omit<AdamOptimizerOptions, 'nesterov'>,
): GradientTransformation<readonly State[]> {
  return adam({ ...options, nesterov: true })
}
