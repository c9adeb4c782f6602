import { transform } from 'sucrase'

/** The name of a program in its stacks. */
export const fileName = 'program.ts'

/** Where modules are named: behind from, at the beginning of a line that imports or ends an import, and in import(). */
const named = /^(\s*(?:import\b|export\b|\})[^\n'"]*?\bfrom\s*|\s*import\s*)(['"])([^'"\n]+)\2/gm
const computed = /(\bimport\s*\(\s*)(['"])([^'"\n]+)\2/g

/**
 * A program as a module that a browser runs: its types taken out, line by line as before, and the package's doors at `base`.
 *
 * Throws    RangeError for a module that a page does not have; what sucrase throws for text that is no program.
 */
export function moduleOf(code: string, base: string, doors: readonly string[]): string {
  const { code: plain } = transform(code, {
    transforms: ['typescript'],
    disableESTransforms: true,
    keepUnusedImports: false,
    filePath: fileName,
  })
  const replaced = (_: string, before: string, quote: string, name: string): string => {
    const door = name === 'tpu-toolkit' ? 'index' : /^tpu-toolkit\/(.+)$/.exec(name)?.[1]
    if (door === undefined || !doors.includes(door)) {
      throw new RangeError(`program: a page has no such module, it needs Node or another package [${name}]`)
    }
    return `${before}${quote}${new URL(`doors/${door}.js`, base).href}${quote}`
  }
  return plain.replace(named, replaced).replace(computed, replaced)
}
