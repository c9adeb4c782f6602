/** Reports progress: parts done, parts in all, and the one in progress. */
export type Progress = (done: number, total: number, part: string) => void

/** Where a command prints. */
export interface Terminal {
  /** Prints on standard output. */
  readonly out: (text: string) => void
  /** Prints on standard error. */
  readonly error: (text: string) => void
  /** Columns of the screen that `out` goes to; undefined where it goes to a file or a pipe. */
  readonly width?: number | undefined
  /** Whether `out` goes to a screen that shows colours. Default false. */
  readonly colors?: boolean | undefined
  /** The same of what `error` prints on: a screen where only standard output is a file. */
  readonly errors?: { readonly width?: number | undefined; readonly colors?: boolean | undefined } | undefined
  /** Draws how far a run is, where somebody watches; whatever is printed next takes it away. */
  readonly progress?: Progress | undefined
  /** Keeps what is to be said where the user stops the run from now on: what there is, how to go on. */
  readonly ifStopped?: ((text: string) => void) | undefined
  /** Keeps what is done before a run that the user stops is over, for 10 seconds at most: giving back what others wait for. */
  readonly onStop?: ((end: () => Promise<void>) => void) | undefined
}
