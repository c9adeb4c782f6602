import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where a report goes, and who hears of it. */
export interface WriteReportOptions {
  /** The name that an error begins with. */
  readonly command: string
  /** The folder, made where it is missing. */
  readonly out: string
  /** Standard output belongs to a JSON object: where the files are is said on the other stream. Default false. */
  readonly json?: boolean
  readonly terminal: {
    /** Prints on standard output. */
    readonly out: (text: string) => unknown
    /** Prints on standard error. */
    readonly error: (text: string) => unknown
  }
}

/** Writes the files of a report, by name, and says where they are. Returns the exit status: 0, or 1 when they cannot be written. */
export function writeReport(files: Readonly<Record<string, string>>, options: WriteReportOptions): number {
  const { command, out, json = false, terminal } = options
  try {
    mkdirSync(out, { recursive: true })
    const paths = Object.entries(files).map(([name, text]) => {
      const path = join(out, name)
      writeFileSync(path, text)
      return path
    })
    const say = json ? terminal.error : terminal.out
    say(`${json ? '' : '\n'}Written: ${paths.join(', ')}\n`)
    return 0
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    terminal.error(`${command}: cannot write the report [${why}]\n`)
    return 1
  }
}
