import { SingleBar } from 'cli-progress'

/** Told how far a run is: parts done, parts in all, and the one under way. */
export type Progress = (done: number, total: number, part: string) => void

/** A progress bar that is told, and taken away again. */
export interface ProgressBar {
  readonly show: Progress
  /** Takes the bar off the screen. */
  readonly stop: () => void
}

/** A progress bar on a screen, such as `process.stderr`, or nothing where there is none. */
export function progressBar(screen: { write(text: string): unknown } | undefined): ProgressBar {
  if (!screen) return { show: () => {}, stop: () => {} }
  const bar = new SingleBar({
    // A stream by its method: declarations that name Node's types do not compile for users without @types/node.
    stream: screen as NodeJS.WritableStream,
    format: '{bar} {percentage} % {part}',
    clearOnComplete: true,
    hideCursor: true,
  })
  bar.start(1, 0, { part: '' })
  return {
    show: (done, total, part) => {
      bar.setTotal(total)
      bar.update(done, { part })
    },
    stop: () => bar.stop(),
  }
}
