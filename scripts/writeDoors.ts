import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { doors } from './doors.js'
import { agrees, generatedFiles } from './generatedDoors.js'

// Run from the package's root by `npm run doors`, which bundles this file by itself: it must work while a new door
// does not type-check yet.
const read = (path: string): string => readFileSync(path, 'utf8')

for (const [path, text] of generatedFiles(doors, read)) {
  if (existsSync(path) && agrees(path, read(path), text)) continue
  writeFileSync(path, text)
  console.log(`doors: wrote ${path}`)
}
