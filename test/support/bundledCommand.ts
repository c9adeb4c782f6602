import { cpSync, mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './project.js'

/** A copy of the built command in a few files, for tests that start it many times: to start it is most of their time. */
export interface BundledCommand {
  /** Its folder, in the checkout, where the packages are found; to be removed. */
  readonly home: string
  readonly main: string
}

/** Bundles what `npm run build` left in dist, with the threads that it starts, where they look for each other. */
export async function bundledCommand(name: string): Promise<BundledCommand> {
  mkdirSync(`${root}build`, { recursive: true })
  const home = mkdtempSync(`${root}build/${name}-`)
  cpSync(`${root}package.json`, join(home, 'package.json'))
  await build({
    entryPoints: ['cli/main', 'cli/thread', 'experiments/sweep/threadWorker'].map(
      (path) => `${root}dist/${path}.js`,
    ),
    outbase: `${root}dist`,
    outdir: join(home, 'dist'),
    // As many folders deep as the modules in them that name files beside them.
    chunkNames: 'experiments/sweep/[name]-[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  })
  return { home, main: join(home, 'dist/cli/main.js') }
}
