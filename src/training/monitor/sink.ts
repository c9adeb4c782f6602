/** The numbers of one step, on their way out. */
export interface Sample {
  readonly step: number
  /** Seconds since 1970. */
  readonly time: number
  /** By name; counters are totals since the run began. NaN and infinities are values. */
  readonly values: Readonly<Record<string, number>>
  /** Elements that are not finite, by leaf, totals since the run began. */
  readonly nonFinite: Readonly<Record<string, number>>
}

/** Where samples go: a file, a server, an array. */
export interface Sink {
  /** Takes the numbers of one step. */
  write(sample: Sample): void
  /** Everything is out when it is done. */
  close(): void | Promise<void>
}
