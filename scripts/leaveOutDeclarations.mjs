/**
 * Writes dist/.npmignore: the declarations that no entry point reaches, which nobody can import: a third of them. They stay in dist,
 * where the compiler looks for what it built. Part of `prepack`, and of all that packs the checkout.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import ts from 'typescript'

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'))
const reached = new Set()
const waiting = Object.values(exports).flatMap(({ types }) => (types ? [normalize(types)] : []))
for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
  if (reached.has(path)) continue
  reached.add(path)
  for (const { fileName } of ts.preProcessFile(readFileSync(path, 'utf8')).importedFiles) {
    if (fileName.startsWith('.')) waiting.push(join(path, '..', fileName.replace(/\.js$/, '.d.ts')))
  }
}
const unreached = readdirSync('dist', { recursive: true })
  .filter((name) => name.endsWith('.d.ts') && !reached.has(join('dist', name)))
  .map((name) => `/${name}\n`)
writeFileSync('dist/.npmignore', unreached.sort().join(''))
