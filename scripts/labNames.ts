import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { doors, isPortable } from './doors.js'
import { folderPath } from './folders.js'
import { listedByFile } from './listedNames.js'

/** A public name, as the lab's editor completes it. */
export interface LabName {
  readonly name: string
  /** The first sentence of its docstring; empty where it has none. */
  readonly about: string
}

/** An import of the package, with what it gives. */
export interface LabModule {
  /** Such as `tpu-toolkit/formats`. */
  readonly module: string
  readonly about: string
  readonly names: readonly LabName[]
  /** In the root entry point: its namespaces, each with the import of the same names. */
  readonly namespaces: readonly string[]
  /** Whether it needs Node, so that no page has it; its names are then left out. */
  readonly needsNode?: true
}

/** Every entry point, the root first, those that run anywhere with their names. */
export function labNames(root: string): LabModule[] {
  const portable = doors.filter(isPortable)
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const rootNames = namesIn('src/index.ts', read)
  return [
    {
      module: 'tpu-toolkit',
      about: 'names of tensor and numerics, the other entry points as namespaces',
      names: rootNames,
      namespaces: portable.filter(({ root: how }) => how === 'namespace').map(({ folder }) => folder),
    },
    ...portable.map(({ folder, about }) => ({
      module: `tpu-toolkit/${folder}`,
      about,
      names: namesIn(`src/${folderPath(folder)}/index.ts`, read),
      namespaces: [],
    })),
    ...doors
      .filter((door) => !isPortable(door))
      .map(({ folder, about }) => ({
        module: `tpu-toolkit/${folder}`,
        ...{ about, names: [], namespaces: [], needsNode: true as const },
      })),
  ]
}

/** What an index file lists, each name with its docstring, which may be behind further index files. */
function namesIn(index: string, read: (path: string) => string): LabName[] {
  return listedByFile(read(index)).flatMap(([file, names]) => {
    const path = join(dirname(index), file.replace(/\.js$/, '.ts'))
    const text = read(path)
    const further = listedByFile(text).length === 0 ? [] : namesIn(path, read)
    return names.map((listed) => {
      const [own = '', as] = listed.split(' as ')
      const name = as ?? own
      const about = docOf(text, own) || (further.find((one) => one.name === own)?.about ?? '')
      return { name, about }
    })
  })
}

/** The first sentence of the docstring of a declaration. */
function docOf(text: string, name: string): string {
  const declared = new RegExp(
    `/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*export (?:declare )?(?:async )?(?:abstract )?(?:function\\*?|const|class|interface|type) ${name.replaceAll('$', '\\$')}\\b`,
  )
  const [, comment] = declared.exec(text) ?? []
  if (comment === undefined) return ''
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\*? ?/, '').trim())
  const start = lines.findIndex((line) => line !== '')
  const end = lines.findIndex((line, i) => i > start && line === '')
  const paragraph = lines.slice(start, end < 0 ? undefined : end).join(' ')
  return /^.*?\.(?=\s|$)/.exec(paragraph)?.[0] ?? paragraph
}
