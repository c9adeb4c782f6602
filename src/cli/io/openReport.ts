import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkRecord } from '../../base/options/index.js'
import { terminalText } from '../../base/text/index.js'
import { writeFileAtomic } from '../../training/files/index.js'
import type { Terminal } from './terminal.js'

/** Something that a command was to write cannot be written: one line, exit status 1. */
export class CannotWrite extends Error {}

/** Where a report goes, and who hears of it. */
export interface ReportOptions {
  readonly out: string
  /** Standard output belongs to a JSON object: where the files are is said on the other stream. Default false. */
  readonly json?: boolean | undefined
  readonly terminal: Pick<Terminal, 'out' | 'error'>
}

/** The same for one file, which may not be asked for. */
export type ReportFileOptions = Omit<ReportOptions, 'out'> & { readonly out?: string | undefined }

/** A report that can be written. */
export interface OpenReport<Content> {
  /** Writes it, and says where it is. */
  readonly write: (content: Content) => void
}

/**
 * A folder for the files of a report, made before the work begins, so that one that cannot be written is refused before and
 * not after. `write` writes the files, by name, each whole or not at all, and says where they are.
 */
export function openReport(options: ReportOptions): OpenReport<Readonly<Record<string, string>>> {
  checkRecord('openReport', 'options', options, ['out', 'terminal'])
  const { out } = options
  made(out, out)
  return {
    write: (files) => {
      const paths = Object.entries(files).map(([name, text]) => written(join(out, name), text))
      printPaths(paths, options)
    },
  }
}

/** The same for a report that is one file: its folder is made. Nothing is opened where `out` is undefined. */
export function openReportFile(options: ReportFileOptions): OpenReport<string> | undefined {
  checkRecord('openReportFile', 'options', options, ['terminal'])
  const { out } = options
  if (out === undefined) return undefined
  made(dirname(out), out)
  if (statSync(out, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new CannotWrite(`cannot write, this is a folder [${terminalText(out)}]`)
  }
  return { write: (text) => printPaths([written(out, text)], { ...options, out }) }
}

function made(folder: string, out: string): void {
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
  } catch (thrown) {
    throw cannot(out, thrown)
  }
}

function written(path: string, text: string): string {
  try {
    writeFileAtomic(path, text)
    return path
  } catch (thrown) {
    throw cannot(path, thrown)
  }
}

function cannot(path: string, thrown: unknown): unknown {
  if (!(thrown instanceof Error && 'syscall' in thrown)) return thrown
  return new CannotWrite(`cannot write ${terminalText(path)} [${terminalText(thrown.message)}]`)
}

function printPaths(paths: readonly string[], { json = false, terminal }: ReportOptions): void {
  const tell = json ? terminal.error : terminal.out
  tell(`${json ? '' : '\n'}Written: ${paths.join(', ')}\n`)
}
