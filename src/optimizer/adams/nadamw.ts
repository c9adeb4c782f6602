import { checkOptions } from '../../base/options/index.js'
import type { GradientTransformation, State } from '../transformation.js'
import { type AdamwOptions, adamw, adamwNames } from './adamw.js'

/** AdamW with Nesterov momentum. */
export function nadamw(options: Omit<AdamwOptions, 'nesterov'>): GradientTransformation<readonly State[]> {
  const { nesterov, ...names } = adamwNames
  checkOptions('nadamw', options, names)
  return adamw({ ...options, nesterov: true })
}
