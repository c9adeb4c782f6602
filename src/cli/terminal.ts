/** Where a command prints. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
  /** Where a progress bar may be drawn; undefined where nobody watches. */
  readonly screen?: NodeJS.WritableStream | undefined
}
