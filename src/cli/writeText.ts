import { writeFileSync } from 'node:fs'
import type { Terminal } from './terminal.js'

/** Writes a file and says where it is; returns the exit status, 1 where the file cannot be written. */
export function writeText(
  command: string,
  path: string,
  text: string,
  terminal: Terminal,
  json: boolean,
): number {
  try {
    writeFileSync(path, text)
  } catch (thrown) {
    terminal.error(
      `${command}: cannot write [${thrown instanceof Error ? thrown.message : String(thrown)}]\n`,
    )
    return 1
  }
  // Standard output belongs to the JSON object.
  const say = json ? terminal.error : terminal.out
  say(`${json ? '' : '\n'}Written: ${path}\n`)
  return 0
}
