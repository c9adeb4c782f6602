import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Terminal } from './terminal.js'

/**
 * Writes the files of a report, by name, into its folder, which is made where it is missing, and says where they are.
 * Returns the exit status: 0, or 1 when they cannot be written.
 */
export function writeReport(
  command: string,
  { json, out }: { readonly json: boolean; readonly out: string },
  files: Readonly<Record<string, string>>,
  terminal: Terminal,
): number {
  try {
    mkdirSync(out, { recursive: true })
    const paths = Object.entries(files).map(([name, text]) => {
      const path = join(out, name)
      writeFileSync(path, text)
      return path
    })
    // Standard output belongs to the JSON object.
    const say = json ? terminal.error : terminal.out
    say(`${json ? '' : '\n'}Written: ${paths.join(', ')}\n`)
    return 0
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    terminal.error(`${command}: cannot write the report [${why}]\n`)
    return 1
  }
}
