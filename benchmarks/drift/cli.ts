import { SingleBar } from 'cli-progress'
import { driftJson } from './json.js'
import { parseOptions } from './options.js'
import { printed } from './print.js'
import { type Progress, runDrift } from './run.js'
import { driftFiles, writeFiles } from './write.js'

/** Where the command prints. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
  /** Where a progress bar may be drawn; undefined where nobody watches. */
  readonly screen?: NodeJS.WritableStream | undefined
}

/** The whole command; returns the exit status: 0, 1 when the report cannot be written, 2 for a mistake in the options. */
export function driftCommand(args: readonly string[], terminal: Terminal): number {
  const parsed = parseOptions(args)
  if ('status' in parsed) {
    terminal.out(parsed.out)
    terminal.error(parsed.error)
    return parsed.status
  }
  const { options } = parsed
  const bar = progressBar(terminal.screen)
  const results = runDrift(options, bar.show)
  bar.stop()
  terminal.out(options.json ? driftJson(results) : printed(results, options.lengths !== undefined))
  const files = driftFiles(results)
  try {
    const paths = writeFiles(options.out, files)
    const say = options.json ? terminal.error : terminal.out
    say(`${options.json ? '' : '\n'}Written: ${paths.join(', ')}\n`)
  } catch (thrown) {
    terminal.error(
      `bench:drift: cannot write the report [${thrown instanceof Error ? thrown.message : String(thrown)}]\n`,
    )
    return 1
  }
  return 0
}

function progressBar(screen: NodeJS.WritableStream | undefined): { show: Progress; stop: () => void } {
  if (!screen) return { show: () => {}, stop: () => {} }
  const bar = new SingleBar({
    stream: screen,
    format: '{bar} {percentage} % {op}',
    clearOnComplete: true,
    hideCursor: true,
  })
  bar.start(1, 0, { op: '' })
  return {
    show: (done, total, op) => {
      bar.setTotal(total)
      bar.update(done, { op })
    },
    stop: () => bar.stop(),
  }
}
