import { checkInteger, checkRecord } from '../../base/options/index.js'

/** What gives bytes by their place: an open file, a Blob in a worker of a page, bytes in memory. */
export interface ByteSource {
  /** How many bytes there are. */
  readonly size: number
  /** The bytes from `position` on, `n` of them; nothing else is read. */
  readonly read: (position: number, n: number) => Uint8Array
  /** Called where what was opened over it is closed. Default: nothing is. */
  readonly close?: () => void
}

/** A source that returns fresh buffers of exactly the requested length. */
export interface CheckedSource extends ByteSource {
  readonly close: () => void
}

/** Checks a source, and from then on each of its answers. */
export function checkedSource(op: string, source: ByteSource): CheckedSource {
  checkRecord(op, 'source', source, ['size', 'read'])
  checkInteger(op, 'size', source.size, 0)
  return {
    size: source.size,
    close: () => source.close?.(),
    read: (position, n) => {
      const bytes = source.read(position, n)
      if (!(bytes instanceof Uint8Array)) {
        throw new TypeError(`${op}: what read gave is no Uint8Array [${typeof bytes}]`)
      }
      if (bytes.length !== n) {
        throw new RangeError(`${op}: read gave ${bytes.length} of the ${n} bytes from ${position} on [${n}]`)
      }
      // Tensors take over what is read: a view of more would hold on to it, and let others write.
      return bytes.byteOffset === 0 && bytes.buffer.byteLength === n ? bytes : new Uint8Array(bytes)
    },
  }
}
