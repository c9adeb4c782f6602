import type { GradientTransformation } from '../transformation.js'
import { type Labels, type MultiTransformState, multiTransform } from './multiTransform.js'

/**
 * `multiTransform` by the name that optax has given it since.
 *
 * @example tree.leavesOf(partition({ up: scale(2), down: scale(-1) }, ['up', 'down']).update([tensor(1), tensor(1)], { up: {}, down: {} })[0]).map((x) => x.item()) // [2, -1]
 */
export function partition(
  transforms: Readonly<Record<string, GradientTransformation>>,
  labels: Labels,
): GradientTransformation<MultiTransformState> {
  return multiTransform(transforms, labels)
}
