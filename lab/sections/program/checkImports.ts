import { nearestName } from '#options'
import { importsOf, type Part } from './imports.js'
import type { LabModule } from './labModules.js'

/** A place of a program that is wrong, and why. */
export interface Problem extends Part {
  readonly message: string
}

/** The modules and names that a program imports and that are not there, each with what was probably meant. */
export function checkImports(code: string, modules: readonly LabModule[]): Problem[] {
  const byName = new Map(modules.map((one) => [one.module, one]))
  const there = modules.filter(({ needsNode }) => !needsNode).map((one) => one.module)
  return importsOf(code).flatMap(({ module, named }) => {
    const known = byName.get(module.text)
    if (!known || known.needsNode) {
      const near = known ? undefined : nearestName(module.text, there)
      return [
        {
          ...module,
          message:
            near === undefined
              ? `a page has no such module, it needs Node or another package [${module.text}]`
              : `there is no module ${module.text}, did you mean ${near}?`,
        },
      ]
    }
    const names = new Set([...known.names.map(({ name }) => name), ...known.namespaces])
    return named
      .filter(({ name }) => !names.has(name.text))
      .map(({ name }) => ({ ...name, message: missing(name.text, known.module, names, modules) }))
  })
}

function missing(
  name: string,
  module: string,
  names: ReadonlySet<string>,
  modules: readonly LabModule[],
): string {
  const elsewhere = modules.filter((one) => one.names.some((other) => other.name === name))
  if (elsewhere.length > 0) {
    const places = elsewhere.slice(0, 3).map((one) => one.module)
    return `${module} has no ${name}, which is in ${places.join(' and ')}`
  }
  const near = nearestName(name, names)
  return `${module} has no ${name}${near === undefined ? '' : `, did you mean ${near}?`}`
}

/** A problem as a compiler writes it: the place, the line, and what of it is meant. */
export function problemText(code: string, { from, text, message }: Problem): string {
  const before = code.slice(0, from).split('\n')
  const [line, column] = [before.length, before.at(-1)!.length]
  const written = code.split('\n')[line - 1]!
  const gutter = `${line} | `
  const carets = `${' '.repeat(gutter.length - 2)}| ${' '.repeat(column)}${'^'.repeat(text.length)}`
  return `program.ts:${line}:${column + 1}: ${message}\n${gutter}${written}\n${carets}`
}
