import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The checkout's root, with a slash at its end. */
export const root: string = fileURLToPath(new URL('../../', import.meta.url))

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
