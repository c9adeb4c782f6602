import { checkTransformation } from './checkTransformation.js'
import type { GradientTransformation, State } from './transformation.js'

/**
 * Transforms one after the other: each takes the updates of the one before. The state has one entry for each.
 *
 * @example tree.leavesOf(chain(scale(3), scale(-1)).update([tensor([1])], [{}, {}])[0])[0].item() // -3
 */
export function chain<S extends readonly State[]>(
  ...transforms: { readonly [K in keyof S]: GradientTransformation<S[K]> }
): GradientTransformation<S> {
  transforms.forEach((transform, i) => {
    checkTransformation('chain', `link ${i}`, transform)
  })
  return chained(transforms) as GradientTransformation<S>
}

function chained(transforms: readonly GradientTransformation[]): GradientTransformation<readonly State[]> {
  return {
    fusion: { kind: 'chain', links: transforms },
    recordable: transforms.every(({ recordable }) => recordable),
    init: (params) => transforms.map((transform) => transform.init(params)),
    update(updates, state, params, extra) {
      if (!Array.isArray(state) || state.length !== transforms.length) {
        throw new RangeError(
          `chain: the state is not one of ${transforms.length} transforms [${Array.isArray(state) ? state.length : typeof state}]`,
        )
      }
      let current = updates
      const states = transforms.map((transform, i) => {
        const [next, nextState] = transform.update(current, state[i]!, params, extra)
        current = next
        return nextState
      })
      return [current, states]
    },
  }
}
