import { folderPath } from './folders.js'
import { listedByFile, listedNames } from './listedNames.js'

// Names that an entry point shows without being listed: the folder's own list or room says it already. A name that is missing in
// src/<folder>/index.ts is written there, and each name of an entry point that src/README.md has not, into its section.

/** Reads a file of the package. */
export type Read = (path: string) => string

/** The files below a folder of the package, with an ending. */
export type FilesUnder = (folder: string, ending: string) => readonly string[]

interface Shown {
  /** The files, as the entry point names them: './room/file.js'. */
  readonly files: (read: Read, filesUnder: FilesUnder) => readonly string[]
  /** Whether an entry point shows what such a file exports. */
  readonly shows: (name: string, file: string) => boolean
}

const base = (file: string): string => file.replace(/^.*\/|\.[jt]s$/g, '')

const roomOf = (file: string): string => file.slice(0, file.lastIndexOf('/'))

/** The files of the folder that one of its files imports. */
const importedBy =
  (path: string) =>
  (read: Read): readonly string[] =>
    [...read(path).matchAll(/from '(\.\/[^']+)'/g)].flatMap(([, file]) => file ?? [])

/** All files of some rooms. */
const ofRooms =
  (folder: string, ...rooms: readonly string[]) =>
  (_: Read, filesUnder: FilesUnder): readonly string[] =>
    rooms.flatMap((room) =>
      filesUnder(`src/${folderPath(folder)}/${room}`, '.ts').map((path) => `./${room}/${base(path)}.js`),
    )

/** What a file is named after, its options and its state. */
const ofItsName = (name: string, file: string): boolean =>
  name === base(file) || /(Options|State)$/.test(name)

const shownWhole: Readonly<Record<string, readonly Shown[]>> = {
  formats: [{ files: () => ['./formatArrays.js'], shows: () => true }],
  tensor: [
    // An operation's function and types stand beside its record, which stays inside.
    {
      files: (read) =>
        importedBy('src/tensors/tensor/ops.ts')(read).filter((file) =>
          exportsOf(read(pathOf('tensor', file))).some((name) => /^[a-z]\w*Ops?$/.test(name)),
        ),
      shows: (name) => !/(Ops?|Names)$/.test(name),
    },
    { files: ofRooms('tensor', 'composed'), shows: ofItsName },
  ],
  optimizer: [
    { files: ofRooms('optimizer', 'adams', 'optimizers', 'rescalings', 'transforms'), shows: ofItsName },
  ],
  failures: [
    {
      files: (read) =>
        importedBy('src/experiments/failures/gallery.ts')(read).filter(
          (file) => !file.startsWith('./record/'),
        ),
      shows: ofItsName,
    },
  ],
}

const pathOf = (folder: string, file: string): string =>
  `src/${folderPath(folder)}/${file.slice(2).replace(/\.js$/, '.ts')}`

const declared = /^export (type|interface|const|(?:async )?function\*?|(?:abstract )?class) (\w+)/gm

/** The names that a file declares and exports. */
const exportsOf = (text: string): string[] => [...text.matchAll(declared)].map(([, , name]) => name ?? '')

const isType = (text: string, name: string): boolean =>
  new RegExp(`^export (type|interface) ${name}\\b`, 'm').test(text)

/** The text of an entry point with the names that it shows without their being listed. */
export function completedDoor(folder: string, read: Read, filesUnder: FilesUnder): string {
  let text = read(`src/${folderPath(folder)}/index.ts`)
  for (const { files, shows } of shownWhole[folder] ?? []) {
    for (const file of files(read, filesUnder)) {
      const source = read(pathOf(folder, file))
      const listed = new Set(listedNames(text).map((name) => name.replace('type ', '')))
      const missing = [...new Set(exportsOf(source))].filter((name) => shows(name, file) && !listed.has(name))
      const [types, values] = [true, false].map((of) => missing.filter((name) => isType(source, name) === of))
      const words = [...(values ?? []), ...(types ?? []).map((name) => `type ${name}`)]
      if (words.length > 0) text = withNames(text, file, words)
    }
  }
  return text
}

/** The entry point's text with names of a file: in its line, else in a line behind the last of its room. */
function withNames(text: string, file: string, names: readonly string[]): string {
  const lineOf = new RegExp(`^export \\{([^}]*?),?\\s*\\} from '${file.replaceAll('.', '\\.')}'`, 'm')
  if (lineOf.test(text)) {
    return text.replace(
      lineOf,
      (_, inside: string) => `export {${inside}, ${names.join(', ')} } from '${file}'`,
    )
  }
  const line = `export { ${names.join(', ')} } from '${file}'\n`
  const before = [...text.matchAll(/^export (?:type )?\{[^}]*\} from '([^']+)'\n/gm)]
  const last = before.filter(([, other]) => roomOf(other ?? '') === roomOf(file)).at(-1) ?? before.at(-1)
  const end = last ? last.index + last[0].length : text.length
  return text.slice(0, end) + line + text.slice(end)
}

/** The first sentence of what a file says of a name, without its full stop and marks of code. */
function firstSentence(text: string, name: string): string {
  const at = new RegExp(`^export [\\w* ]*\\b${name}\\b`, 'm').exec(text)?.index ?? 0
  const [said = ''] = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n$/.exec(text.slice(0, at)) ?? []
  const words = said.replace(/^\s*\/?\*+\/?/gm, ' ').replace(/\s+/g, ' ')
  return (/^ ?(.*?)(?:[.:;](?: |$)|@|$)/.exec(words)?.[1] ?? '').replaceAll('`', '').trim() || 'New'
}

/** src/README.md with every name of an entry point in its section: behind its neighbour in the entry point's list, else in a line of its own. */
export function withEveryName(map: string, folder: string, index: string, read: Read): string {
  const parts = map.split(/^(?=## )/m)
  const at = parts.findIndex((part) => part.startsWith(`## ${folder}\n`))
  if (at < 0) return map
  let section = parts[at] ?? ''
  let [before, room] = ['', '']
  for (const [file, names] of listedByFile(index)) {
    if (roomOf(file) !== room || room === '.') before = ''
    room = roomOf(file)
    for (const name of names) {
      if (section.includes(`\`${name}\``)) {
        before = name
        continue
      }
      const own = `- ${firstSentence(read(pathOf(folder, file)), name)}: \`${name}\`\n`
      section = before
        ? section.replace(`\`${before}\``, (neighbour) => `${neighbour}, \`${name}\``)
        : section.replace(/\n*$/, (end) => `\n${own}${end.slice(1)}`)
      before = name
    }
  }
  parts[at] = section
  return parts.join('')
}
