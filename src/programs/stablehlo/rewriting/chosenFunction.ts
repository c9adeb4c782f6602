import type { Func, Module } from '../module.js'

/** The function of a module that is named, else `main`, else the only public one. */
export function chosenFunction(of: string, { functions }: Module, name: string | undefined): Func {
  const all = [...functions.values()]
  if (name !== undefined) {
    const found = functions.get(name)
    if (found) return found
    throw new RangeError(
      `${of}: the module has no such function, it has ${all.map((each) => each.name).join(', ')} [${name}]`,
    )
  }
  const open = all.filter(({ visibility }) => visibility === 'public')
  const found = functions.get('main') ?? (open.length === 1 ? open[0] : undefined)
  if (!found) {
    throw new RangeError(
      `${of}: which function is not said, write { function } [${open.map((each) => each.name).join(', ')}]`,
    )
  }
  return found
}
