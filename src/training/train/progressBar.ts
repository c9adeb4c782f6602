import { SingleBar } from 'cli-progress'

/** A progress bar on a terminal. */
export interface ProgressBar {
  /** Draws the share of parts done, with the name of the part in progress. */
  readonly show: (done: number, total: number, part: string) => void
  /** Takes the bar off the screen, and shows the cursor again. */
  readonly stop: () => void
}

/** A progress bar on a stream such as `process.stderr`; it appears with the first call of `show`. */
export function progressBar(screen: { write(text: string): unknown }): ProgressBar {
  let bar: SingleBar | undefined
  return {
    show: (done, total, part) => {
      if (!bar) {
        bar = new SingleBar({
          // A stream by its method: declarations that name Node's types do not compile for users without @types/node.
          stream: screen as NodeJS.WritableStream,
          format: '{bar} {percentage} % {part}',
          clearOnComplete: true,
          hideCursor: true,
          // Its own handler of signals would keep the process alive.
          gracefulExit: false,
        })
        bar.start(total, done, { part })
      }
      bar.setTotal(total)
      bar.update(done, { part })
    },
    stop: () => {
      bar?.stop()
      bar = undefined
    },
  }
}
