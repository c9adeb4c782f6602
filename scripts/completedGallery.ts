import type { FilesUnder, Read } from './shownNames.js'

export const galleryPath = 'src/experiments/failures/gallery.ts'

/**
 * src/experiments/failures/gallery.ts with every failure that a file of the folder exports: one that is missing goes behind the last of
 * its room, from where it may be moved. Imports are put in order by the formatter.
 */
export function completedGallery(read: Read, filesUnder: FilesUnder): string {
  let text = read(galleryPath)
  for (const path of filesUnder('src/experiments/failures', '.ts')) {
    const name = /^export const (\w+): Failure\b/m.exec(read(path))?.[1]
    if (name === undefined || new RegExp(`^  ${name},$`, 'm').test(text)) continue
    const file = `.${path.slice('src/experiments/failures'.length, -'.ts'.length)}.js`
    const room = file.slice(0, file.lastIndexOf('/') + 1)
    const neighbours = [...text.matchAll(/^import \{ (\w+) \} from '(.*\/)[^/]+'$/gm)].flatMap(
      ([, other, its]) => (its === room ? [other] : []),
    )
    const listed = [...text.matchAll(/^ {2}(\w+),$/gm)]
    const before = listed.filter(([, other]) => neighbours.includes(other)).at(-1) ?? listed.at(-1)
    const end = before ? before.index + before[0].length : text.lastIndexOf('[') + 1
    text = `import { ${name} } from '${file}'\n${text.slice(0, end)}\n  ${name},${text.slice(end)}`
  }
  return text
}
