// Apart from what makes channels of sockets: whose declarations name these need no types of Node's.

/** A message over a connection: a small record, and bytes. */
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
  /** Sets the receiver of frames; frames that arrived before are delivered at once. */
  onFrame(hear: (frame: Frame) => void): void
  /** Sets the receiver of the first frame; later ones wait for `onFrame`. */
  onFirst(hear: (frame: Frame) => void): void
  /** Sets the receiver of the end of the connection. */
  onClose(hear: () => void): void
  /** Ends it when all is sent. */
  end(): void
  /** Ends it at once. */
  destroy(): void
}
