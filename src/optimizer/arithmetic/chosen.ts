import type { OptionNames } from '../../base/options/index.js'

/** Those of the options that a table names: what an alias hands on to one of its parts. */
export function chosen<O extends object>(options: O, names: OptionNames): O {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(names, name))) as O
}
