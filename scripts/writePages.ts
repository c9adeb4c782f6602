import { readFileSync, writeFileSync } from 'node:fs'
import { commandPage } from './commandPage.js'
import { formatsPage } from './formatsPage.js'
import { optaxPage } from './optaxNames.js'
import { planningPage } from './planningPage.js'

// Run from the package's root by `npm run doors`, which bundles this file: it needs no build.
const pages = {
  'docs/command.md': commandPage,
  'docs/formats.md': formatsPage,
  'docs/optimizers.md': optaxPage,
  'docs/planning.md': planningPage,
}

for (const [path, write] of Object.entries(pages)) {
  const page = readFileSync(path, 'utf8')
  const written = await write(page)
  if (written === page) continue
  writeFileSync(path, written)
  console.log(`doors: wrote ${path}`)
}
