import { transform } from 'sucrase'

/** The name of a program in its stacks. */
export const fileName = 'program.ts'

const specifier = /\b(from\s*|import\s*\(?\s*)(['"])(tpu-toolkit(?:\/[\w-]+)?|node:[\w/]+|[\w@][\w@/.-]*)\2/g

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
  return plain.replace(specifier, (whole, before: string, quote: string, name: string) => {
    if (
      !/^\s*(import|export)\b|\bimport\s*\($/.test(before) &&
      !/from\s*$/.test(before) &&
      !/^import/.test(before)
    )
      return whole
    const door =
      name === 'tpu-toolkit'
        ? 'index'
        : name.startsWith('tpu-toolkit/')
          ? name.slice('tpu-toolkit/'.length)
          : ''
    if (!doors.includes(door)) {
      throw new RangeError(`program: a page has no such module, it needs Node or another package [${name}]`)
    }
    return `${before}${quote}${new URL(`doors/${door}.js`, base).href}${quote}`
  })
}
