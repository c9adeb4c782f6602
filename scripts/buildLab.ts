import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'
import { doors, isPortable } from './doors.js'
import { folderPath, sourceFolders } from './folders.js'
import { jaxExamples } from './jaxExamples.js'
import { labExamples } from './labExamples.js'
import { writeLabGuides } from './labGuides.js'
import { labNames } from './labNames.js'
import { nodeModulesIn, withoutNode } from './withoutNode.js'

/** A lab that was built. */
export interface BuiltLab {
  /** Every file, relative to the folder, with its size. */
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly gzipped: number }[]
  /** Gzipped JavaScript that is loaded before a section is shown: the page and what it imports at once. */
  readonly initialBytes: number
}

const portable = doors.filter(isPortable).map(({ folder }) => folder)

/** The sections that have a worker. */
const workers = [
  'nan',
  'drift',
  'program',
  'optimizers',
  'attention',
  'automaton',
  'plan',
  'file',
  'results',
  'jax',
]

/**
 * Builds the page of the lab from `lab` and `src` of the project's folder `root` into `folder`: the page, its workers and
 * every entry point that runs anywhere, which share their code; then the list of files for the service worker. `guides`: whether the
 * guides that the sections name are written too, where no site has them.
 */
export async function buildLab(
  root: string,
  folder: string,
  { guides = true }: { readonly guides?: boolean } = {},
): Promise<BuiltLab> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const shared = {
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    logLevel: 'error',
    legalComments: 'none',
    outdir: folder,
  } satisfies BuildOptions
  const { metafile } = await build({
    ...shared,
    alias: sourceFolders(join(root, 'src')),
    jsx: 'automatic',
    jsxImportSource: 'preact',
    splitting: true,
    plugins: [withoutNode],
    define: { LAB_DOORS: JSON.stringify(['index', ...portable]) },
    metafile: true,
    chunkNames: 'chunks/[hash]',
    entryPoints: {
      page: 'lab/page.tsx',
      lab: 'lab/lab.css',
      ...Object.fromEntries(
        workers.map((name) => [`workers/${name}`, `lab/sections/${name}/${name}Worker.ts`]),
      ),
      'workers/bits': 'lab/bits/bitsWorker.ts',
      'doors/index': 'src/index.ts',
      ...Object.fromEntries(portable.map((door) => [`doors/${door}`, `src/${folderPath(door)}/index.ts`])),
    },
  })
  const ofNode = nodeModulesIn(metafile.outputs)
  if (ofNode.length > 0) throw new Error(`buildLab: a page has no such modules [${ofNode.join(', ')}]`)
  for (const page of ['index.html', '404.html']) cpSync(join(root, 'lab', page), join(folder, page))
  const inFolder = (path: string): string => relative(folder, resolve(root, path))
  // A module, since the page's policy lets nothing be asked for but scripts, styles and images.
  writeFileSync(join(folder, 'examples.js'), `export const examples = ${JSON.stringify(labExamples(root))}\n`)
  // For the editor, which completes them and knows a wrong one.
  writeFileSync(join(folder, 'names.js'), `export const modules = ${JSON.stringify(labNames(root))}\n`)
  const stories = jaxExamples(root).map(({ name, ...story }) => {
    writeFileSync(
      join(folder, `jax-${name}.js`),
      `export const story = ${JSON.stringify({ name, ...story })}\n`,
    )
    return `jax-${name}.js`
  })
  const paths = [
    'index.html',
    '404.html',
    'examples.js',
    'names.js',
    ...stories,
    ...Object.keys(metafile.outputs).map(inFolder),
  ].sort()
  const version = createHash('sha256')
  for (const path of paths) version.update(path).update(readFileSync(join(folder, path)))
  await build({
    ...shared,
    entryPoints: { offline: 'lab/offline.ts' },
    define: {
      LAB_FILES: JSON.stringify(['./', ...paths]),
      LAB_VERSION: JSON.stringify(version.digest('hex').slice(0, 12)),
    },
  })
  // Not among the files that are kept offline from the beginning: a guide is kept when it was read.
  const written = guides ? await writeLabGuides(root, folder) : []
  const files = [...paths, 'offline.js', ...written].map((path) => {
    const bytes = readFileSync(join(folder, path))
    return { path, bytes: bytes.length, gzipped: gzipSync(bytes, { level: 9 }).length }
  })
  const page = Object.keys(metafile.outputs).find((path) => inFolder(path) === 'page.js')!
  const initial = new Set([...staticImports(metafile.outputs, page)].map(inFolder))
  const initialBytes = files.reduce((sum, { path, gzipped }) => sum + (initial.has(path) ? gzipped : 0), 0)
  return { files, initialBytes }
}

type Outputs = Readonly<
  Record<string, { readonly imports: readonly { readonly path: string; readonly kind: string }[] }>
>

/** A file and all that it imports at once, not by import(). */
function staticImports(outputs: Outputs, path: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const { path: next, kind } of outputs[path]?.imports ?? []) {
    if (kind === 'import-statement') staticImports(outputs, next, seen)
  }
  return seen
}
