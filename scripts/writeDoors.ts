import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { doorGroups } from './doors.js'
import { agrees, generatedFiles } from './generatedDoors.js'

// Run from the package's root by `npm run doors`, which bundles this file by itself: it must work while a new entry point
// does not type-check yet.
const read = (path: string): string => readFileSync(path, 'utf8')
const filesUnder = (folder: string, ending: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith(ending))
    .sort()

for (const [path, text] of generatedFiles(doorGroups, read, filesUnder)) {
  if (existsSync(path) && agrees(path, read(path), text)) continue
  writeFileSync(path, text)
  console.log(`doors: wrote ${path}`)
}
