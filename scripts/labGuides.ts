import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The guides that the sections of the lab name, by their files in docs. */
const guides = [
  'block-formats',
  'command',
  'formats',
  'hosts',
  'jax',
  'kernels',
  'lab',
  'nca',
  'optimizers',
  'planning',
  'precision-bounds',
  'precision-doctor',
  'step-2750',
]

type GuidePage = (text: string, files: Readonly<Record<string, string>>, root?: string) => string

/**
 * Writes the guides that the sections name as pages below `guides` of the lab's folder, and a list of them. Returns their paths,
 * relative to the folder.
 */
export async function writeLabGuides(root: string, folder: string): Promise<string[]> {
  // Not compiled: TypeDoc's plugin is the same script.
  const { guidePage } = (await import(pathToFileURL(join(root, 'scripts/guidePage.mjs')).href)) as {
    readonly guidePage: GuidePage
  }
  const read = guides.map((name) => {
    const text = readFileSync(join(root, 'docs', `${name}.md`), 'utf8')
    const title = /^# (.+)$/m.exec(text)![1]!
    return { name, text, title, file: `${title.replaceAll(' ', '_')}.html` }
  })
  mkdirSync(join(folder, 'guides/documents'), { recursive: true })
  const files = Object.fromEntries(read.map(({ name, file }) => [`${name}.md`, file]))
  for (const { text, file } of read) {
    writeFileSync(join(folder, 'guides/documents', file), guidePage(text, files))
  }
  const list = read.map(({ title, file }) => `- [${title}](documents/${file})`).join('\n')
  writeFileSync(
    join(folder, 'guides/index.html'),
    guidePage(
      `# Guides\n\n${list}\n`,
      Object.fromEntries(read.map(({ file }) => [`documents/${file}`, `documents/${file}`])),
      '../',
    ),
  )
  return ['guides/index.html', ...read.map(({ file }) => `guides/documents/${file}`)]
}
