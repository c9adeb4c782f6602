import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { sourceFolders } from './folders.js'

/** What a module imports: a file, and the names asked for; without names all of it. */
interface Import {
  readonly path: string
  readonly names?: readonly string[]
}

/**
 * The test files that a file of src reaches, nearest first: those named after it or its folder, then those of its folders, then by how many imports lie between. An import of names
 * from an index.ts leads to the files that declare them, not to all that index.ts lists.
 */
export function testsBySource(): (file: string) => readonly string[] {
  const sources = filesIn('src')
  const tests = filesIn('test')
  const entries = entryPoints()
  const read = new Map([...sources, ...tests].map((path) => [path, importsOf(path, entries)]))
  const importers = new Map<string, Set<string>>()
  for (const [path, imports] of read) {
    if (basename(path) === 'index.ts') continue
    for (const target of imports.flatMap((one) => declaring(one, read))) {
      importers.set(target, (importers.get(target) ?? new Set()).add(path))
    }
  }
  return (file) => {
    const distance = distancesFrom(`src/${file}`, importers)
    const names = [basename(file, '.ts'), basename(dirname(file))]
    const nameOf = (test: string): number => {
      const at = names.findIndex((name, i) => {
        const own = basename(test, '.test.ts')
        return i === 0 ? own === name : own.startsWith(name)
      })
      return at < 0 ? names.length : at
    }
    // Whole entry points say least of what is tested.
    const isWhole = (test: string): boolean =>
      read.get(test)!.some(({ path, names }) => names === undefined && basename(path) === 'index.ts')
    return tests
      .filter((test) => test.endsWith('.test.ts') && distance.has(test))
      .map((test) => ({
        test,
        key: [nameOf(test), -shared(test, file), Number(isWhole(test)), distance.get(test)!],
      }))
      .sort((a, b) => a.key.reduce((order, value, i) => order || value - b.key[i]!, 0))
      .map(({ test }) => test)
  }
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => join(folder, path))

/** The index.ts behind each name that tests import a folder by. */
function entryPoints(): ReadonlyMap<string, string> {
  return new Map(Object.entries(sourceFolders('src')).map(([name, folder]) => [name, `${folder}/index.ts`]))
}

function importsOf(path: string, entries: ReadonlyMap<string, string>): Import[] {
  const text = readFileSync(path, 'utf8')
  const resolved = (specifier: string): string | undefined => {
    if (!specifier.startsWith('.')) return entries.get(specifier)
    const target = join(dirname(path), specifier).replace(/\.js$/, '.ts')
    return existsSync(target) ? target : undefined
  }
  const found = text.matchAll(
    /(?:^(?:import|export) (?:type )?(?:\{([^}]*)\}|[^'{]*?)(?: from )?|import\()'([^']+)'/gm,
  )
  return [...found].flatMap(([, names, specifier]) => {
    const target = resolved(specifier!)
    if (target === undefined) return []
    return names === undefined ? [{ path: target }] : [{ path: target, names: namesIn(names) }]
  })
}

const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((name) =>
      name
        .trim()
        .replace(/^type /, '')
        .replace(/ as .*/, ''),
    )
    .filter((name) => name !== '')

/** The files that declare what is imported. */
function declaring({ path, names }: Import, read: ReadonlyMap<string, readonly Import[]>): string[] {
  if (basename(path) !== 'index.ts' || !path.startsWith('src/')) return [path]
  return (read.get(path) ?? [])
    .filter(
      (one) =>
        names === undefined || one.names === undefined || one.names.some((name) => names.includes(name)),
    )
    .flatMap((one) => declaring({ path: one.path, ...(names && { names }) }, read))
}

/** How many imports lie between a file and each that reaches it. */
function distancesFrom(
  file: string,
  importers: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, number> {
  const distance = new Map([[file, 0]])
  for (const [path, steps] of distance) {
    for (const next of importers.get(path) ?? []) if (!distance.has(next)) distance.set(next, steps + 1)
  }
  return distance
}

/** How many folders on the way to a test are also on the way to a file. */
function shared(test: string, file: string): number {
  const folders = dirname(file).split('/')
  return dirname(test)
    .split('/')
    .filter((folder) => folders.includes(folder)).length
}
