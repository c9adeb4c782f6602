import { build } from 'esbuild'
import { root } from './project.js'

/** Bundles a program over the sources, its imports relative to the project's root, into a script that Node runs. */
export async function bundleScript(contents: string, outfile: string): Promise<void> {
  await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
  })
}
