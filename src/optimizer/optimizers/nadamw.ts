import type { GradientTransformation, State } from '../transformation.js'
import { type AdamwOptions, adamw } from './adamw.js'

/** AdamW with Nesterov momentum. */
export function nadamw(options: Omit<AdamwOptions, 'nesterov'>): GradientTransformation<readonly State[]> {
  return adamw({ ...options, nesterov: true })
}
