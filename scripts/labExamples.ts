import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { doors, isPortable } from './doors.js'

/** A program of a page, to be opened in the lab. */
export interface LabExample {
  /** The page, the heading above it and, where there are several under one, its number. */
  readonly name: string
  readonly code: string
}

const portable = new Set([
  'tpu-toolkit',
  ...doors.filter(isPortable).map(({ folder }) => `tpu-toolkit/${folder}`),
])

/** The `ts` programs of README.md and the guides that import nothing but entry points that run anywhere. */
export function labExamples(root: string): LabExample[] {
  const guides = readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `docs/${name}`)
  return ['README.md', ...guides].flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8')
    const names = new Map<string, number>()
    return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].flatMap(({ 1: code = '', index }) => {
      const heading = [...text.slice(0, index).matchAll(/^#+ (.+)$/gm)].at(-1)?.[1] ?? ''
      const title = `${page.replace(/^docs\/|\.md$/g, '')}: ${heading.replaceAll('`', '')}`
      const count = (names.get(title) ?? 0) + 1
      names.set(title, count)
      return runsAnywhere(code) ? [{ name: count === 1 ? title : `${title} (${count})`, code }] : []
    })
  })
}

/** No other module than our portable entry points, nothing that only Node has, and no threads, whose shared memory most pages are refused. */
function runsAnywhere(code: string): boolean {
  const modules = [...code.matchAll(/\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g)].map(
    ([, named, bare]) => named ?? bare ?? '',
  )
  return (
    modules.every((name) => portable.has(name)) && !/\bprocess\.|\bBuffer\b|\brequire\(|\bthreads:/.test(code)
  )
}
