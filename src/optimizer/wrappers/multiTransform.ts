import { checkRecord } from '../../base/options/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import { prefixLeaves } from '../arithmetic/prefixLeaves.js'
import { checkTransformation } from '../checkTransformation.js'
import type { GradientTransformation, State } from '../transformation.js'
import { merge, select } from './select.js'

/** Which transform each parameter gets: a tree of labels, a prefix of one, or a function of the parameters that gives it. */
export type Labels =
  | Treelike<string>
  | {
      /** The labels of these parameters. */
      of(tree: Treelike): Treelike<string>
    }['of']

/** The inner states by label. */
export type MultiTransformState = { readonly [label: string]: State }

/**
 * A transform for each label; a leaf's label decides which one it gets.
 *
 * @example tree.leavesOf(multiTransform({ up: scale(2), down: scale(-1) }, ['up', 'down']).update([tensor(1), tensor(1)], { up: {}, down: {} })[0]).map((x) => x.item()) // [2, -1]
 */
export function multiTransform(
  transforms: Readonly<Record<string, GradientTransformation>>,
  labels: Labels,
): GradientTransformation<MultiTransformState> {
  checkRecord('multiTransform', 'transforms', transforms)
  for (const [label, transform] of Object.entries(transforms)) {
    checkTransformation('multiTransform', `the one of label ${label}`, transform)
  }
  const entries = Object.entries(transforms)
  const labelsOf = (tree: Treelike): string[] => {
    const found = prefixLeaves(
      'multiTransform',
      typeof labels === 'function' ? labels(tree) : labels,
      tree,
      (value): value is string => typeof value === 'string',
    )
    for (const label of found) {
      if (!Object.hasOwn(transforms, label)) {
        throw new RangeError(`multiTransform: no transform for a label [${label}]`)
      }
    }
    return found
  }
  return {
    recordable: entries.every(([, { recordable }]) => recordable),
    init(params) {
      const found = labelsOf(params)
      return Object.fromEntries(
        entries.map(([label, transform]) => [
          label,
          transform.init(
            select(
              params,
              found.map((x) => x === label),
            ),
          ),
        ]),
      )
    },
    update(updates, state, params, extra) {
      const found = labelsOf(updates)
      const states: Record<string, State> = {}
      let current = updates
      for (const [label, transform] of entries) {
        const kept = found.map((x) => x === label)
        const seen = params === undefined ? undefined : select(params, kept)
        const [changed, next] = transform.update(select(current, kept), state[label]!, seen, extra)
        current = merge(current, kept, changed)
        states[label] = next
      }
      return [current, states]
    },
  }
}
