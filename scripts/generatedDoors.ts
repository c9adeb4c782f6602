import { completedGallery, galleryPath } from './completedGallery.js'
import type { Door, DoorGroup } from './doors.js'
import { folderPath, internalFolders, wings } from './folders.js'
import { listedNames } from './listedNames.js'
import { completedDoor, type FilesUnder, type Read, withEveryName } from './shownNames.js'

// What `npm run doors` makes of the list of entry points and of what the folders say themselves.

const target = (folder: string, browser?: true) => ({
  types: `./dist/${folder}index.d.ts`,
  ...(browser && { browser: `./dist/${folder}browser.js` }),
  default: `./dist/${folder}index.js`,
})

/** The fields of package.json that follow from the list. */
export function packageFields(list: readonly Door[]): Record<string, unknown> {
  return {
    main: './dist/index.js',
    types: './dist/index.d.ts',
    exports: {
      '.': target(''),
      ...Object.fromEntries(
        list.map(({ folder, browser }) => [`./${folder}`, target(`${folderPath(folder)}/`, browser)]),
      ),
      './package.json': './package.json',
    },
    imports: Object.fromEntries(
      internalFolders.map((folder) => [`#${folder}`, target(`${folderPath(folder)}/`)]),
    ),
    // Read only by resolvers older than `exports`, such as that of the TypeScript inside tslab.
    typesVersions: {
      '*': Object.fromEntries(
        list.map((door) => [door.folder, [`dist/${folderPath(door.folder)}/index.d.ts`]]),
      ),
    },
  }
}

/** typedoc's entry points. */
export function entryPoints(list: readonly Door[]): string[] {
  return ['src/index.ts', ...list.map((door) => `src/${folderPath(door.folder)}/index.ts`)]
}

/** The entry points as a Markdown table for each group. */
export function doorsTable(groups: readonly DoorGroup[]): string {
  const inRoot = (door: Door): string =>
    ({
      flat: 'its names',
      namespace: 'a namespace',
      none: `no: ${door.anywhere ?? `needs ${door.needs ?? 'Node'}`}`,
    })[door.root]
  return groups
    .map(({ title, doors }) =>
      [
        `**${title}**\n`,
        '| import | in the root | what it is |',
        '|---|---|---|',
        ...doors.map((door) => `| \`tpu-toolkit/${door.folder}\` | ${inRoot(door)} | ${door.about} |`),
      ].join('\n'),
    )
    .join('\n\n')
}

/** The folders directly below src as a Markdown table, from the lowest layer up. */
export function wingsTable(): string {
  const rows = Object.entries(wings).map(([wing, { about, folders, imports }]) => {
    const inside = folders.length > 1 ? folders.join(' ') : ''
    return `| \`${wing}/\` | ${about} | ${inside} | ${imports.join(' ')} |`
  })
  return [
    '| folder | what it is | folders in it | imports, besides base |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n')
}

/** The root entry point: the flat folders by name, the other portable ones as namespaces. */
export function rootDoor(list: readonly Door[], indexOf: (folder: string) => string): string {
  const lines = [
    '// The root door: every name of tensor and numerics, and the other folders that run anywhere as namespaces.',
    '// Written by `npm run doors` from scripts/doors.ts and the index files it re-exports; do not edit by hand.',
  ]
  for (const { folder, root } of list) {
    if (root === 'namespace') lines.push(`export * as ${folder} from './${folderPath(folder)}/index.js'`)
    if (root !== 'flat') continue
    const names = listedNames(indexOf(folder))
    const oneLine = `export { ${names.join(', ')} } from './${folderPath(folder)}/index.js'`
    if (oneLine.length <= 110) {
      lines.push(oneLine)
    } else {
      lines.push(
        'export {',
        ...names.map((name) => `  ${name},`),
        `} from './${folderPath(folder)}/index.js'`,
      )
    }
  }
  return `${lines.join('\n')}\n`
}

/** What of an index file a page can import: all but what its rooms have, which is for Node. */
export function browserDoor(index: string): string {
  const exported = index.match(/^export (?:type )?\{[^}]*\} from '\.\/\w+\.js'$/gm) ?? []
  return `// The names of index.ts that run anywhere. Written by \`npm run doors\`; do not edit by hand.\n${exported.join('\n')}\n`
}

/** `text` with the part between `<!-- name -->` and `<!-- /name -->` replaced. */
export function withSection(text: string, name: string, section: string): string {
  const marked = new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- /${name} -->`)
  if (!marked.test(text)) throw new Error(`doors: no <!-- ${name} --> section in the text`)
  return text.replace(marked, () => `<!-- ${name} -->\n${section}\n<!-- /${name} -->`)
}

/** Every generated file with the text it must have, given how the files read now. */
export function generatedFiles(
  groups: readonly DoorGroup[],
  read: Read,
  filesUnder: FilesUnder,
): Map<string, string> {
  const list = groups.flatMap((group) => group.doors)
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
    ...list.map(({ folder }): [string, string] => [`src/${folderPath(folder)}/index.ts`, indexOf(folder)]),
    ...list.flatMap(({ folder, browser }): [string, string][] =>
      browser ? [[`src/${folderPath(folder)}/browser.ts`, browserDoor(indexOf(folder))]] : [],
    ),
    ['src/index.ts', rootDoor(list, indexOf)],
    ['README.md', withSection(read('README.md'), 'doors', doorsTable(groups))],
    ['docs/design.md', withSection(read('docs/design.md'), 'wings', wingsTable())],
    ['src/README.md', withSection(withSection(map, 'wings', wingsTable()), 'doors', doorsTable(groups))],
  ])
}

/** Whether a generated file's text says what it must; how JSON is laid out is the formatter's business. */
export function agrees(path: string, text: string, expected: string): boolean {
  return path.endsWith('.json')
    ? JSON.stringify(JSON.parse(text)) === JSON.stringify(JSON.parse(expected))
    : text === expected
}
