import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { brokenLinks } from './siteLinks.js'

// The last step of `npm run docs` and of `npm run site`: the links inside, and of a whole site what a browser does with it.
const [folder = 'docs/api'] = process.argv.slice(2)
const { followed, broken } = brokenLinks(folder)
const wrong = broken.map((link) => `a link that leads nowhere [${link}]`)
if (existsSync(join(folder, 'docs/pagefind'))) {
  const { wrongInBrowser } = await import('./siteInBrowser.js')
  wrong.push(...(await wrongInBrowser(folder)))
}
for (const what of wrong) console.error(`site: ${what}`)
if (wrong.length > 0) process.exitCode = 1
else console.log(`site: ${followed} links inside lead somewhere, nothing is asked of another host`)
