import { SingleBar } from 'cli-progress'
import type { Progress } from './terminal.js'

/** A progress bar that is told, and taken away again. */
export interface ProgressBar {
  readonly show: Progress
  /** Takes the bar off the screen, and shows the cursor again. */
  readonly stop: () => void
}

/** A progress bar on a screen, such as `process.stderr`, from the first time that it is told something on. */
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
