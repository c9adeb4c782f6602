import { checkOptions } from '../../base/options/index.js'
import type { GradientTransformation, State } from '../transformation.js'
import { type AdamOptimizerOptions, adam, adamOptimizerNames } from './adam.js'

/** Adam with Nesterov momentum. */
export function nadam(
  options: Omit<AdamOptimizerOptions, 'nesterov'>,
): GradientTransformation<readonly State[]> {
  const { nesterov, ...names } = adamOptimizerNames
  checkOptions('nadam', options, names)
  return adam({ ...options, nesterov: true })
}
