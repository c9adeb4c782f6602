import { nearestName } from '../../../base/options/index.js'

/** The steps of a path as JAX prints it: `s[2][0].mu['b0']` is s, 2, 0, mu, b0. */
export function pathSteps(name: string): readonly string[] {
  return [...name.matchAll(/\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\]]*))\]|\.?([^.[\]]+)/g)].map(
    ([, single, double, plain, word]) => single ?? double ?? plain ?? word ?? '',
  )
}

/** The value of a name: under the whole of it, or down the path that it is. */
export function namedValue(values: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(values, name)) return values[name]
  let at: unknown = values
  for (const step of pathSteps(name)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) throw missing(values, name)
    at = (at as Record<string, unknown>)[step]
  }
  return at
}

function missing(values: Readonly<Record<string, unknown>>, name: string): RangeError {
  const near = nearestName(name, Object.keys(values))
  const hint = near === undefined ? '' : `, did you mean ${near}`
  return new RangeError(
    `programOf: argument ${name} is not there${hint} [${Object.keys(values).slice(0, 8).join(', ')}]`,
  )
}
