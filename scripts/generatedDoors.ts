import { completedGallery, galleryPath } from './completedGallery.js'
import type { Door } from './doors.js'
import { listedNames } from './listedNames.js'
import { completedDoor, type FilesUnder, type Read, withEveryName } from './shownNames.js'

// What `npm run doors` makes of the list of doors and of what the folders say themselves.

const target = (folder: string) => ({
  types: `./dist/${folder}index.d.ts`,
  default: `./dist/${folder}index.js`,
})

/** The fields of package.json that follow from the list. */
export function packageFields(list: readonly Door[]): Record<string, unknown> {
  return {
    main: './dist/index.js',
    types: './dist/index.d.ts',
    exports: {
      '.': target(''),
      ...Object.fromEntries(list.map((door) => [`./${door.folder}`, target(`${door.folder}/`)])),
      './package.json': './package.json',
    },
    // Read only by resolvers older than `exports`, such as that of the TypeScript inside tslab.
    typesVersions: {
      '*': Object.fromEntries(list.map((door) => [door.folder, [`dist/${door.folder}/index.d.ts`]])),
    },
  }
}

/** typedoc's entry points. */
export function entryPoints(list: readonly Door[]): string[] {
  return ['src/index.ts', ...list.map((door) => `src/${door.folder}/index.ts`)]
}

/** The list of doors as a Markdown table. */
export function doorsTable(list: readonly Door[]): string {
  const inRoot = (door: Door): string =>
    ({
      flat: 'its names',
      namespace: 'a namespace',
      none: door.anywhere ? 'no: its name is a function there' : `no: needs ${door.needs ?? 'Node'}`,
    })[door.root]
  const rows = list.map((door) => `| \`tpu-toolkit/${door.folder}\` | ${inRoot(door)} | ${door.about} |`)
  return ['| door | in the root | what it is |', '|---|---|---|', ...rows].join('\n')
}

/** The root door: the flat folders by name, the other portable ones as namespaces. */
export function rootDoor(list: readonly Door[], indexOf: (folder: string) => string): string {
  const lines = [
    '// The root door: every name of tensor and numerics, and the other folders that run anywhere as namespaces.',
    '// Written by `npm run doors` from scripts/doors.ts and the index files it re-exports; do not edit by hand.',
  ]
  for (const { folder, root } of list) {
    if (root === 'namespace') lines.push(`export * as ${folder} from './${folder}/index.js'`)
    if (root !== 'flat') continue
    const names = listedNames(indexOf(folder))
    const oneLine = `export { ${names.join(', ')} } from './${folder}/index.js'`
    if (oneLine.length <= 110) lines.push(oneLine)
    else lines.push('export {', ...names.map((name) => `  ${name},`), `} from './${folder}/index.js'`)
  }
  return `${lines.join('\n')}\n`
}

/** `text` with the part between `<!-- doors -->` and `<!-- /doors -->` replaced. */
export function withSection(text: string, section: string): string {
  const marked = /<!-- doors -->[\s\S]*?<!-- \/doors -->/
  if (!marked.test(text)) throw new Error('doors: no <!-- doors --> section in the text')
  return text.replace(marked, () => `<!-- doors -->\n${section}\n<!-- /doors -->`)
}

/** Every generated file with the text it must have, given how the files read now. */
export function generatedFiles(
  list: readonly Door[],
  read: Read,
  filesUnder: FilesUnder,
): Map<string, string> {
  const merged = (path: string, fields: Record<string, unknown>) =>
    `${JSON.stringify({ ...JSON.parse(read(path)), ...fields }, null, 2)}\n`
  const gallery = completedGallery(read, filesUnder)
  const completed = (path: string): string => (path === galleryPath ? gallery : read(path))
  const opened = new Map(list.map(({ folder }) => [folder, completedDoor(folder, completed, filesUnder)]))
  const indexOf = (folder: string): string => opened.get(folder) ?? ''
  const map = list.reduce(
    (text, { folder }) => withEveryName(text, folder, indexOf(folder), read),
    read('src/README.md'),
  )
  return new Map([
    ['package.json', merged('package.json', packageFields(list))],
    ['typedoc.json', merged('typedoc.json', { entryPoints: entryPoints(list) })],
    [galleryPath, gallery],
    ...list.map(({ folder }): [string, string] => [`src/${folder}/index.ts`, indexOf(folder)]),
    ['src/index.ts', rootDoor(list, indexOf)],
    ['README.md', withSection(read('README.md'), doorsTable(list))],
    ['src/README.md', withSection(map, doorsTable(list))],
  ])
}

/** Whether a generated file's text says what it must; how JSON is laid out is the formatter's business. */
export function agrees(path: string, text: string, expected: string): boolean {
  return path.endsWith('.json')
    ? JSON.stringify(JSON.parse(text)) === JSON.stringify(JSON.parse(expected))
    : text === expected
}
