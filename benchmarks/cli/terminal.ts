/** Where a command prints. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
  /** Where a progress bar may be drawn; undefined where nobody watches. */
  readonly screen?: NodeJS.WritableStream | undefined
}

/** Runs a command in this process: its arguments, its streams, its exit status. */
export function runCommand(command: (args: readonly string[], terminal: Terminal) => number): void {
  // A reader that has seen enough (`| head`) closes the pipe: that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  process.exitCode = command(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
    screen: process.stderr.isTTY ? process.stderr : undefined,
  })
}
