import { styleText } from 'node:util'
import { progressBar } from '../../training/train/index.js'
import type { Terminal } from './terminal.js'

/** What the terminal of this process can do beside printing: what its user has seen last, and leaving it as it was. */
export interface ProcessTerminal extends Required<Omit<Terminal, 'onStop'>> {
  /** Takes the progress bar away and shows the cursor: on every way out. */
  readonly restore: () => void
  /** How far the run is, and what it wanted to be said if it were stopped. */
  readonly state: () => { readonly progress: string; readonly ifStopped: string }
}

/** The terminal of this process: standard output, and a progress bar on standard error where that is a screen. */
export function processTerminal(): ProcessTerminal {
  // A reader that has seen enough (`| head`) closes the pipe: that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  const bar = process.stderr.isTTY ? progressBar(process.stderr) : undefined
  let [progress, ifStopped] = ['', '']
  const restore = (): void => bar?.stop()
  process.on('exit', restore)
  return {
    out: (text) => {
      restore()
      process.stdout.write(text)
    },
    error: (text) => {
      restore()
      process.stderr.write(text)
    },
    width: process.stdout.isTTY ? process.stdout.columns : undefined,
    colors: showsColors(process.stdout),
    errors: {
      width: process.stderr.isTTY ? process.stderr.columns : undefined,
      colors: showsColors(process.stderr),
    },
    progress: (done, total, part) => {
      progress = `${Math.floor((100 * done) / Math.max(1, total))} %${part === '' ? '' : `, ${part}`}`
      bar?.show(done, total, part)
    },
    ifStopped: (text) => {
      ifStopped = text
    },
    restore,
    state: () => ({ progress, ifStopped }),
  }
}

/** Whether Node would colour what is printed there: a screen does unless NO_COLOR is set, FORCE_COLOR decides for anything. */
function showsColors(stream: NodeJS.WriteStream): boolean {
  return styleText('red', 'x', { stream }) !== 'x'
}
