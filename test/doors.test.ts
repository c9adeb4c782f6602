import { existsSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { posix } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { doorGroups, doors, isPortable } from '../scripts/doors.js'
import {
  folders as allFolders,
  folderOf,
  folderPath,
  internalFolders,
  wingOf,
  wings,
} from '../scripts/folders.js'
import { agrees, generatedFiles } from '../scripts/generatedDoors.js'
import { listedNames } from '../scripts/listedNames.js'
import { families, mayImport, mayUse } from './support/importTable.js'
import { filesUnder, modulePath, readText, root } from './support/project.js'

interface Source {
  readonly path: string
  readonly folder: string
  readonly text: string
  readonly tree: ts.SourceFile
  /** Every module named in an import, export, import() or import type, as written. */
  readonly imports: readonly string[]
}

function importsOf(tree: ts.SourceFile): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      if (node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
        found.push(node.moduleSpecifier.text)
      }
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments
      found.push(argument && ts.isStringLiteral(argument) ? argument.text : '(computed)')
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      found.push(node.argument.literal.getText(tree).slice(1, -1))
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

function parse(path: string, text: string): Source {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true)
  const folder = folderOf(path) ?? ''
  return { path, folder, text, tree, imports: importsOf(tree) }
}

const sources = filesUnder('src', '.ts').map((path) => parse(path, readText(path)))
const folders = [...new Set(sources.map((source) => source.folder))].filter((folder) => folder !== '')
const portable = new Set(doors.filter(isPortable).map((door) => door.folder))
const builtin = new Set([...builtinModules, ...builtinModules.map((name) => `node:${name}`)])

/** Why one import is not allowed, or nothing. */
function forbidden(source: Source, specifier: string): string | undefined {
  const { folder } = source
  if (folder === '') return specifier.startsWith('./') ? undefined : 'the root door opens folders only'
  if (!specifier.startsWith('.')) {
    if (builtin.has(specifier)) {
      if (portable.has(folder)) return 'a folder that runs anywhere imports no Node module'
      return specifier.startsWith('node:') ? undefined : 'Node modules are named with node:'
    }
    const name = /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier
    return mayUse[folder]?.includes(name) ? undefined : 'package not on the list of this folder'
  }
  const target = posix.join(posix.dirname(source.path), specifier)
  if (!target.endsWith('.js')) return 'relative imports end in .js'
  if (target === 'src/index.js') return 'nothing imports the root'
  const other = folderOf(target)
  if (other === undefined) return 'no such folder'
  if (other === folder) {
    if (withinFolder(target).length > 2) return 'a room has no rooms: ./room/file.js at most'
    return target.endsWith('/index.js') ? doorWithin(folder, target) : undefined
  }
  if (target !== `src/${folderPath(other)}/index.js`) {
    return 'other folders are reached through their index.js only'
  }
  return mayImport[folder]?.includes(other) ? undefined : `${folder} may not import ${other}`
}

const doorWithin = (folder: string, target: string): string =>
  target === `src/${folderPath(folder)}/index.js`
    ? 'a folder does not use its own door'
    : 'a room has no door'

/** The room of a folder that a file is in: the sub-folder's name, '' for the files beside the door. */
function roomOf(path: string): string {
  const parts = withinFolder(path)
  return parts.length > 1 ? (parts[0] ?? '') : ''
}

/** The parts of a file's path below its folder: 'src/numbers/formats/ulp.ts' is ['ulp.ts']. */
function withinFolder(path: string): string[] {
  return path.slice(`src/${folderPath(folderOf(path) ?? '')}/`.length).split('/')
}

/** The files of one folder, each with those of the same folder that it imports. */
function filesWithin(folder: string): Map<string, string[]> {
  const inFolder = (path: string): boolean => folderOf(path) === folder
  return new Map(
    sources
      .filter((source) => source.folder === folder)
      .map(({ path, imports }): [string, string[]] => [
        path,
        imports
          .filter((specifier) => specifier.startsWith('.'))
          .map((specifier) => posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts'))
          .filter(inFolder),
      ]),
  )
}

/** The rooms of one folder, each with those that it imports; the door itself, which opens all of them, is left out. */
function roomsWithin(files: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const rooms = new Map<string, Set<string>>()
  for (const [path, imports] of files) {
    if (withinFolder(path)[0] === 'index.ts') continue
    const room = rooms.get(roomOf(path)) ?? new Set()
    rooms.set(roomOf(path), room)
    for (const other of imports) if (roomOf(other) !== roomOf(path)) room.add(roomOf(other))
  }
  return new Map([...rooms].map(([room, others]) => [room, [...others]]))
}

/** A path of files of one folder that leads back to where it began, or nothing. */
function cycleIn(files: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>()
  const walk = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const next of files.get(file) ?? []) {
      const cycle = walk(next, [...path, file])
      if (cycle) return cycle
    }
    done.add(file)
    return undefined
  }
  for (const file of files.keys()) {
    const cycle = walk(file, [])
    if (cycle) return cycle
  }
  return undefined
}

/** What an index.ts holds besides named re-exports of its own folder's files. */
function strangersIn(source: Source): string[] {
  return source.tree.statements.flatMap((statement) => {
    const text = statement.getText(source.tree).slice(0, 80)
    if (!ts.isExportDeclaration(statement)) return [`code: ${text}`]
    const { exportClause, moduleSpecifier } = statement
    if (!exportClause || !ts.isNamedExports(exportClause)) return [`not a list of names: ${text}`]
    const from = moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : ''
    if (!/^\.\/([^/]+\/)?[^/]+\.js$/.test(from)) return [`not from a file of its own folder: ${text}`]
    return exportClause.elements.filter((name) => name.propertyName).map((name) => `alias: ${name.getText()}`)
  })
}

describe('the layers', () => {
  it('every file of src stands in a folder of scripts/folders.ts, and every folder there has files', () => {
    expect(sources.filter(({ path, folder }) => folder === '' && path !== 'src/index.ts')).toEqual([])
    expect([...allFolders].sort()).toEqual([...folders].sort())
  })

  it('every folder has its line in the import table, and the table has no circle', () => {
    expect(folders.filter((folder) => !(folder in mayImport))).toEqual([])
    expect(cycleIn(new Map(Object.entries(mayImport)))).toBeUndefined()
  })

  it('imports between folders stay inside the arrows between wings, which have no circle', () => {
    const arrows = Object.entries(mayImport).flatMap(([folder, others]) =>
      others.map((other) => `${wingOf(folder)} -> ${wingOf(other)}`),
    )
    const allowed = Object.entries(wings).flatMap(([wing, { imports }]) =>
      wing === 'base' ? [] : [...imports, 'base'].map((other) => `${wing} -> ${other}`),
    )
    const between = new Set(arrows.filter((arrow) => new Set(arrow.split(' -> ')).size === 2))
    expect([...between].sort()).toEqual(allowed.sort())
    const order = Object.keys(wings)
    const upward = Object.entries(wings).flatMap(([wing, { imports }]) =>
      imports.filter((other) => order.indexOf(other) >= order.indexOf(wing)),
    )
    expect(upward, 'wings are listed from the lowest up').toEqual([])
  })

  it.each(folders)('%s uses every import that the table allows it', (folder) => {
    const used = new Set(
      sources
        .filter((source) => source.folder === folder)
        .flatMap(({ path, imports }) =>
          imports.map((name) => folderOf(posix.join(posix.dirname(path), name))),
        ),
    )
    expect(mayImport[folder]?.filter((other) => !used.has(other) && other !== 'options')).toEqual([])
  })

  it.each(folders)('%s imports only what the table allows, through doors', (folder) => {
    const wrong = sources
      .filter((source) => source.folder === folder)
      .flatMap((source) =>
        source.imports.flatMap((specifier) => {
          const why = forbidden(source, specifier)
          return why ? [`${source.path}: '${specifier}': ${why}`] : []
        }),
      )
    expect(wrong).toEqual([])
  })

  it.each(folders)('the files of %s do not import each other in a circle', (folder) => {
    expect(cycleIn(filesWithin(folder))).toBeUndefined()
  })

  it.each(folders)('the rooms of %s do not import each other in a circle', (folder) => {
    expect(cycleIn(roomsWithin(filesWithin(folder)))).toBeUndefined()
  })

  it('no folder of src has more than 30 files side by side', () => {
    const counts = new Map<string, number>()
    for (const { path } of sources) {
      counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1)
    }
    const large = [...counts].filter(([, count]) => count > 30).map(([folder]) => folder)
    expect(large).toEqual([])
  })

  it('rooms: circles between them are seen, the door is none of them', () => {
    const files = new Map([
      ['src/bf16/index.ts', ['src/bf16/one/x.ts', 'src/bf16/two/y.ts']],
      ['src/bf16/one/x.ts', ['src/bf16/two/y.ts', 'src/bf16/base.ts']],
      ['src/bf16/two/y.ts', ['src/bf16/base.ts']],
      ['src/bf16/two/z.ts', ['src/bf16/one/w.ts']],
      ['src/bf16/base.ts', []],
    ])
    expect(cycleIn(roomsWithin(files))).toEqual(['one', 'two', 'one'])
    files.set('src/bf16/two/z.ts', [])
    expect(cycleIn(roomsWithin(files))).toBeUndefined()
  })

  it('forbidden(import) names each kind of trespass', () => {
    const verdict = (path: string, code: string) => {
      const source = parse(path, code)
      return source.imports.map((specifier) => forbidden(source, specifier) ?? 'allowed')
    }
    expect(verdict('src/bf16/a.ts', "import { x } from '../numbers/formats/index.js'")).toEqual(['allowed'])
    expect(verdict('src/bf16/a.ts', "import type { X } from '../tensors/tensor/index.js'")).toEqual([
      'bf16 may not import tensor',
    ])
    expect(verdict('src/bf16/a.ts', "export { x } from '../numbers/formats/encode.js'")).toEqual([
      'other folders are reached through their index.js only',
    ])
    expect(verdict('src/bf16/a.ts', "type X = import('../index.js').X")).toEqual(['nothing imports the root'])
    expect(verdict('src/bf16/a.ts', "const f = () => import('node:fs')")).toEqual([
      'a folder that runs anywhere imports no Node module',
    ])
    expect(verdict('src/bf16/a.ts', "import { x } from './index.js'")).toEqual([
      'a folder does not use its own door',
    ])
    expect(
      verdict('src/bf16/room/a.ts', "import { x } from '../b.js'; import { y } from '../other/c.js'"),
    ).toEqual(['allowed', 'allowed'])
    expect(verdict('src/bf16/a.ts', "import { x } from './room/index.js'")).toEqual(['a room has no door'])
    expect(verdict('src/bf16/a.ts', "import { x } from './room/deep/b.js'")).toEqual([
      'a room has no rooms: ./room/file.js at most',
    ])
    expect(verdict('src/bf16/room/a.ts', "import { x } from '../../numbers/formats/index.js'")).toEqual([
      'allowed',
    ])
    expect(verdict('src/bf16/a.ts', "import seedrandom from 'seedrandom'")).toEqual([
      'package not on the list of this folder',
    ])
    expect(verdict('src/tensors/random/a.ts', "import seedrandom from 'seedrandom'")).toEqual(['allowed'])
    expect(
      cycleIn(
        new Map([
          ['a', ['b']],
          ['b', ['c']],
          ['c', ['b']],
        ]),
      ),
    ).toEqual(['b', 'c', 'b'])
  })
})

describe('the doors', () => {
  it('the list of doors is the list of folders that have an index.ts', () => {
    const open = folders.filter((folder) => existsSync(`${root}src/${folderPath(folder)}/index.ts`))
    expect([...doors.map((door) => door.folder), ...internalFolders].sort()).toEqual(open.sort())
  })

  it('the generated files agree with scripts/doors.ts (else: npm run doors)', () => {
    const stale = [...generatedFiles(doorGroups, readText, filesUnder)].filter(
      ([path, text]) => !existsSync(root + path) || !agrees(path, readText(path), text),
    )
    expect(stale.map(([path]) => path)).toEqual([])
  })

  it.each([...doors.map((door) => door.folder), ...internalFolders])(
    'the door of %s lists names and holds nothing else',
    (folder) => {
      const door = sources.find((source) => source.path === `src/${folderPath(folder)}/index.ts`)
      expect(door && strangersIn(door)).toEqual([])
      const opening = /^(\/\/.*\n)+|^\/\*[\s\S]*?\*\/\n/.exec(door?.text ?? '')?.[0] ?? ''
      expect(opening.trimEnd().split('\n').length).toBeLessThanOrEqual(6)
      expect(opening).not.toBe('')
    },
  )

  it.each(doors.map((door) => door.folder))(
    'the door of %s lists at most 45 values beyond its families',
    (folder) => {
      const regular = new Set(families[folder])
      const names = listedNames(readText(`src/${folderPath(folder)}/index.ts`)).filter(
        (name) => !regular.has(name) && !name.startsWith('type '),
      )
      expect(names.length, names.join(' ')).toBeLessThanOrEqual(45)
    },
  )

  it('the root door is the names of tensor and numerics plus one namespace per other portable folder', async () => {
    const names = async (path: string) => Object.keys(await import(/* @vite-ignore */ modulePath(path)))
    const flat = [...(await names('src/tensors/tensor/index.ts')), ...(await names('src/numerics/index.ts'))]
    const spaces = doors.filter(({ root }) => root === 'namespace').map(({ folder }) => folder)
    expect((await names('src/index.ts')).sort()).toEqual([...flat, ...spaces].sort())
  })
})

describe('the files', () => {
  it('no file of src, scripts or benchmarks is longer than 400 lines, except tables that name their generator', () => {
    const long = ['src', 'scripts', 'benchmarks', 'test']
      .flatMap((folder) => filesUnder(folder, '.ts'))
      .map((path) => ({ path, text: readText(path) }))
      .filter(({ text }) => text.split('\n').length > 401 && !/^\/[/*].*scripts\//.test(text))
    expect(long.map(({ path }) => path)).toEqual([])
  })

  it('no file of src is named as a grab bag', () => {
    const bags = sources.filter(({ path }) => /\/(utils?|helpers?|common|misc|types)\.ts$/.test(path))
    expect(bags.map(({ path }) => path)).toEqual([])
  })
})
