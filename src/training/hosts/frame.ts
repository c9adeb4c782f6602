// Apart from what makes channels of sockets: whose declarations name these need no types of Node's.

/** What is said over a connection: a small record, and bytes. */
export interface Frame {
  readonly head: Readonly<Record<string, unknown>>
  readonly body: Uint8Array
}

/** A connection that carries frames. */
export interface Channel {
  /** Where the other end is. */
  readonly address: string
  send(head: Frame['head'], body?: Uint8Array): void
  /** The other end is a host of the run: its frames may be longer than 64 KiB from now on. */
  trust(): void
  /** Who hears frames from now on; those that came before are handed over at once. */
  onFrame(hear: (frame: Frame) => void): void
  /** Who hears the first frame alone; those behind it wait for `onFrame`. */
  onFirst(hear: (frame: Frame) => void): void
  /** Who hears that the connection is no more. */
  onClose(hear: () => void): void
  /** Ends it when all is sent. */
  end(): void
  /** Ends it at once. */
  destroy(): void
}
