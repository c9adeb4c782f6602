import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { Location, Module, Operation } from '../../programs/stablehlo/index.js'

/** The source files of a program that was lowered, as far as they are on this machine. */
export interface SourceFiles {
  /** The line of a place (`train.py:12` or `train.py:12:3`), without its indentation; undefined where the file is not there. */
  line(site: string): string | undefined
}

/** The files that a module's locations name: under their own path, or under it from here or from where the module's file is. */
export function sourceFiles(module: Module, path: string): SourceFiles {
  const byName = new Map<string, Set<string>>()
  const seen = new Set<Location>()
  const visit = (location: Location): void => {
    if (seen.has(location)) return
    seen.add(location)
    switch (location.kind) {
      case 'file': {
        const name = basename(location.file)
        byName.set(name, (byName.get(name) ?? new Set()).add(location.file))
        break
      }
      case 'name':
        if (location.child) visit(location.child)
        break
      case 'callsite':
        visit(location.callee)
        visit(location.caller)
        break
      case 'fused':
        location.locations.forEach(visit)
        break
      default:
        location.kind satisfies 'unknown'
    }
  }
  for (const { body } of module.functions.values()) {
    for (const { blocks } of [body]) for (const block of blocks) everyOperation(block.operations, visit)
  }
  const folders = ['.', dirname(path)]
  const texts = new Map<string, readonly string[] | undefined>()
  const linesOf = (name: string): readonly string[] | undefined => {
    if (!texts.has(name)) {
      // Of two files of one name neither: a place does not say which is meant.
      const [file, ...others] = byName.get(name) ?? []
      const found =
        file === undefined || others.length > 0
          ? undefined
          : [...folders.map((folder) => resolve(folder, file)), resolve(dirname(path), name)].find((each) =>
              existsSync(each),
            )
      texts.set(name, found === undefined ? undefined : readFileSync(found, 'utf8').split('\n'))
    }
    return texts.get(name)
  }
  return {
    line(site) {
      const [, name, line] = /^(.*?):(\d+)(?::\d+)?$/.exec(site) ?? []
      if (name === undefined) return undefined
      const text = linesOf(basename(name))?.[Number(line) - 1]?.trim()
      return text === '' ? undefined : text
    },
  }
}

function everyOperation(operations: readonly Operation[], visit: (location: Location) => void): void {
  for (const { location, regions } of operations) {
    visit(location)
    for (const { blocks } of regions) for (const block of blocks) everyOperation(block.operations, visit)
  }
}

/** The source lines of the places that a text names, each once, in the order of the text; empty where none is there. */
export function sourceLinesOf(text: string, sources: SourceFiles, most: number = 12): string[] {
  const sites = [...new Set([...text.matchAll(/[^\s:(),]+\.\w+:\d+(?::\d+)?/g)].map(([site]) => site))]
  const found = sites.flatMap((site) => {
    const line = sources.line(site)
    return line === undefined ? [] : [{ site, line }]
  })
  if (found.length === 0) return []
  const width = Math.max(...found.slice(0, most).map(({ site }) => site.length))
  return ['source lines', ...found.slice(0, most).map(({ site, line }) => `  ${site.padEnd(width)}  ${line}`)]
}
