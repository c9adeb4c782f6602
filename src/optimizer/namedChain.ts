import { checkOptions, checkRecord } from '../base/options/index.js'
import { checkTransformation } from './checkTransformation.js'
import type { ExtraArgs, GradientTransformation, State } from './transformation.js'

/**
 * A chain whose state is a record: `namedChain({ clip: clip(1), adam: scaleByAdam() })` has the states `clip` and `adam`. The
 * transforms run in the order of the names, as written.
 *
 * @example Object.keys(namedChain({ first: scale(3), last: scale(-1) }).init([tensor([1])])) // ['first', 'last']
 */
export function namedChain<S extends { readonly [name: string]: State }>(
  transforms: {
    readonly [K in keyof S]: GradientTransformation<S[K]>
  },
): GradientTransformation<S> {
  checkRecord('namedChain', 'transforms', transforms)
  checkOptions('namedChain', transforms, namesOf(transforms))
  const links = Object.entries<GradientTransformation>(transforms)
  for (const [name, transform] of links) {
    // Engines put such keys first, whatever the order they are written in.
    if (/^\d+$/.test(name)) throw new RangeError(`namedChain: a name is a number [${name}]`)
    checkTransformation('namedChain', `link ${name}`, transform)
  }
  return named(links) as GradientTransformation<S>
}

function namesOf(transforms: object | undefined): Record<string, 'optional'> {
  return Object.fromEntries(Object.keys(Object(transforms)).map((name) => [name, 'optional']))
}

function named(
  links: readonly (readonly [string, GradientTransformation])[],
): GradientTransformation<Readonly<Record<string, State>>> {
  return {
    recordable: links.every(([, { recordable }]) => recordable),
    init: (params) => Object.fromEntries(links.map(([name, transform]) => [name, transform.init(params)])),
    update(updates, state, params, extra?: ExtraArgs) {
      let current = updates
      const states: Record<string, State> = {}
      for (const [name, transform] of links) {
        const own = state[name]
        if (own === undefined) {
          throw new RangeError(`namedChain: the state has no part of that name [${name}]`)
        }
        const [next, nextState] = transform.update(current, own, params, extra)
        current = next
        states[name] = nextState
      }
      return [current, states]
    },
  }
}
