import { type BuildOptions, type BuildResult, buildSync } from 'esbuild'

/** A bundle: its size in bytes, minified, and the files of which something is in it. */
export interface Bundle {
  readonly bytes: number
  readonly text: string
  readonly files: readonly string[]
}

/**
 * The minified bundle of a module's text, its imports resolved in a project's folder. For a browser no `node:` module
 * resolves, so that one in the bundle is an error that names it; 'node' leaves them out.
 */
export function bundle(
  contents: string,
  resolveDir: string,
  platform: 'browser' | 'node' = 'browser',
  format: 'iife' | 'esm' = 'iife',
): Bundle {
  const options = {
    stdin: { contents, resolveDir, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform,
    format,
    target: 'es2022',
    logLevel: 'silent',
  } satisfies BuildOptions
  const { outputFiles, metafile }: BuildResult<typeof options> = buildSync(options)
  const [file] = outputFiles
  const [facts] = Object.values(metafile.outputs)
  if (!file || !facts) throw new Error('bundle: esbuild wrote nothing')
  const files = Object.entries(facts.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  return { bytes: file.contents.length, text: file.text, files: files.map(([path]) => path) }
}
