import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The checkout's root, with a slash at its end. */
export const root: string = fileURLToPath(new URL('../../', import.meta.url))

/** Where the tests find a module of src: there, or what was built of it. */
export function modulePath(path: string): string {
  return process.env['TPU_TOOLKIT_SOURCE'] === 'dist'
    ? root + path.replace(/^src\//, 'dist/').replace(/\.ts$/, '.js')
    : root + path
}

/** The text of a file of the checkout: `readText('src/index.ts')`. */
export function readText(path: string): string {
  return readFileSync(root + path, 'utf8')
}

/** The files under a folder of the checkout whose names end so, as paths from the root, sorted. */
export function filesUnder(folder: string, ending: string): string[] {
  return readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith(ending))
    .sort()
}
