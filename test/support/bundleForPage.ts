import { buildSync } from 'esbuild'
import { sourceFolders } from '../../scripts/folders.js'
import { root } from './project.js'

/** Bundles a program over the sources, by the package's public names, into a script for a page. */
export function bundleForPage(contents: string): string {
  const { outputFiles } = buildSync({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    alias: sourceFolders(`${root}/src`),
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    logLevel: 'silent',
  })
  return outputFiles[0]!.text
}
