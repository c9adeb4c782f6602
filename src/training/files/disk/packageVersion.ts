import { existsSync, readFileSync } from 'node:fs'

/** The version of this package: of the nearest package.json above this file, in a bundle above the bundle. */
export function packageVersion(): string {
  let at = new URL('./package.json', import.meta.url)
  while (!existsSync(at) && at.pathname !== '/package.json') at = new URL('../package.json', at)
  return (JSON.parse(readFileSync(at, 'utf8')) as { version: string }).version
}
