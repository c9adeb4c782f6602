// Writes src/experiments/recipes/text/pagesText.ts: the text that the recipes train on, pages of docs as one commit had them.
//
//   node scripts/pagesText.mjs
//
// The commit is named below, so that the text, and with it every measured table, stays the same when the pages change.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { deflateSync } from 'fflate'

const commit = '1fc3ed72'
const pages = ['autodiff', 'compile', 'kernels', 'optimizers', 'precision-doctor']

const whole = pages
  .map((page) => execFileSync('git', ['show', `${commit}:docs/${page}.md`], { encoding: 'utf8' }))
  .join('\n')
  // One byte a character.
  .replace(/[^\n -~]/g, '?')
const bytes = Buffer.from(whole, 'latin1')
const packed = Buffer.from(deflateSync(bytes, { level: 9 })).toString('base64')
const digest = createHash('sha256').update(bytes).digest('hex')

writeFileSync(
  'src/experiments/recipes/text/pagesText.ts',
  `// Written by scripts/pagesText.mjs from pages of docs at commit ${commit}: ${pages.join(', ')}. Do not edit.
// sha256 of the text: ${digest}

/** Pages of this package's documentation, ${bytes.length} characters of ASCII, deflated, in base64. */
export const pagesText: string =
  '${packed}'
`,
)
console.log(bytes.length, packed.length)
