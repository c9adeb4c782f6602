import { readFileSync, writeFileSync } from 'node:fs'
import { commandPage } from './commandPage.js'

// Run from the package's root by `npm run doors`, which bundles this file: it needs no build.
const path = 'docs/command.md'
const page = readFileSync(path, 'utf8')
const written = await commandPage(page)
if (written !== page) {
  writeFileSync(path, written)
  console.log(`doors: wrote ${path}`)
}
